# configures and builds everything into build/ (arguments: targets)
dev setup
configure build $gcc_toolchain $python_package -DGYM_TELEMETRY_WERROR=ON
say "building"
build_log=build/build.log
ninja -C build "$@" >"$build_log" 2>&1 || {
    grep -A 15 -E 'FAILED|error:|warning:' "$build_log" | head -80 >&2
    die "the build failed; all of it is in $build_log"
}
