# benchmarks: all contenders, or --lines, --json FILE, --check [--short], --replay, --pool, --health, --python
dev setup
case ${1:-} in
--replay | --pool | --health | --python)
    name=${1#--}
    shift
    [ -e "tools/dev/bench_$name.sh" ] || die "this checkout has no benchmark of $name"
    source "tools/dev/bench_$name.sh"
    return 0
    ;;
esac
configure build-bench $gcc_toolchain -DGYM_TELEMETRY_BENCH=ON -DGYM_TELEMETRY_TESTS=OFF \
    -DGYM_TELEMETRY_TOOLS=OFF
targets="gym_bench collect_bench floor_bench otel_bench adopt_bench prometheus_bench"
ninja -C build-bench $targets >build-bench/build.log 2>&1 || {
    tail -40 build-bench/build.log >&2
    die "the build failed; all of it is in build-bench/build.log"
}
options=()
for option in "$@"; do
    [ "$option" = --check ] && options+=(--check bench/budgets.txt) && continue
    options+=("$option")
done
python3 tools/dev/bench_table.py build-bench/bin "${options[@]}"
