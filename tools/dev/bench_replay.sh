# ./dev bench --replay: speed of gymtel replay. Bars: 1.5 GB/s on real rows, 0.4 on rows of 85 bytes.
dev build gymtel
configure build-bench $gcc_toolchain -DGYM_TELEMETRY_BENCH=ON -DGYM_TELEMETRY_TESTS=OFF \
    -DGYM_TELEMETRY_TOOLS=OFF
ninja -C build-bench replay_bench >build-bench/build.log 2>&1 || {
    tail -40 build-bench/build.log >&2
    die "the build failed; all of it is in build-bench/build.log"
}
build-bench/bin/replay_bench build/bin/gymtel examples/rollouts "$@"
