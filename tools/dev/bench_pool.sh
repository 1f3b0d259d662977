# measures the HTTP pool: rates, the recorders' share, memory (--requests N, --pairs N, --connections N)
configure build-bench $gcc_toolchain -DGYM_TELEMETRY_BENCH=ON -DGYM_TELEMETRY_TESTS=OFF \
    -DGYM_TELEMETRY_TOOLS=OFF
ninja -C build-bench pool_bench >build-bench/build.log 2>&1 || {
    tail -40 build-bench/build.log >&2
    die "the build failed; all of it is in build-bench/build.log"
}
build-bench/bin/pool_bench "$@"
