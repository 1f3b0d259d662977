# ./dev bench --health: the report on one core beside NeMo Gym's own, in one run. Bars: 20 times its
# rows a second on each kind of row; memory of four times the rows within 300 bytes a row.
configure build-bench $gcc_toolchain -DGYM_TELEMETRY_BENCH=ON -DGYM_TELEMETRY_TESTS=OFF \
    -DGYM_TELEMETRY_TOOLS=OFF
ninja -C build-bench health_bench >build-bench/build.log 2>&1 || {
    tail -40 build-bench/build.log >&2
    die "the build failed; all of it is in build-bench/build.log"
}
python3 bench/health/compare.py build-bench
