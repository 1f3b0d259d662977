# runs the fuzzers, each for so many seconds (30); finds go to build-fuzz/
dev setup
seconds=${1:-30}
configure build-fuzz $clang_toolchain -DGYM_TELEMETRY_FUZZ=ON -DGYM_TELEMETRY_TESTS=OFF \
    -DGYM_TELEMETRY_TOOLS=OFF -DGYM_TELEMETRY_SANITIZE=address
ninja -C build-fuzz >build-fuzz/build.log 2>&1 || {
    tail -40 build-fuzz/build.log >&2
    die "the build failed; all of it is in build-fuzz/build.log"
}
for fuzzer in build-fuzz/bin/fuzz_*; do
    name=$(basename "$fuzzer")
    seeds=fuzz/corpus/${name#fuzz_}
    mkdir -p "build-fuzz/corpus/$name"
    folders=("build-fuzz/corpus/$name")
    [ -d "$seeds" ] && folders+=("$seeds")
    say "$name: $seconds s"
    "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -artifact_prefix="build-fuzz/$name-" "${folders[@]}" >"build-fuzz/$name.log" 2>&1 || {
        tail -30 "build-fuzz/$name.log" >&2
        die "$name found something; all of it is in build-fuzz/$name.log"
    }
    tail -1 "build-fuzz/$name.log" >&2
done
