# everything a change must pass: format, both compilers, tests, speed, clang-tidy (what .ci/run calls)
dev setup
say "format"
dev format --check
dev test | tee /tmp/gym-check.$$
say "clang 19: build"
configure build-clang $clang_toolchain $python_package -DGYM_TELEMETRY_WERROR=ON
ninja -C build-clang >build-clang/build.log 2>&1 || {
    grep -A 15 -E 'FAILED|error:|warning:' build-clang/build.log | head -80 >&2
    die "clang's build failed; all of it is in build-clang/build.log"
}
dev tidy
say "speed: the budgets of bench/budgets.txt"
dev bench --check --short
tail -1 /tmp/gym-check.$$
rm -f /tmp/gym-check.$$
