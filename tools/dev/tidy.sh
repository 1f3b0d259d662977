# clang-tidy over the sources (arguments: files; all by default)
dev setup
configure build-clang $clang_toolchain $python_package -DGYM_TELEMETRY_WERROR=ON
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(git ls-files 'src/*.cpp')
# Only what is compiled here; a file that no target has is no source of this build.
mapfile -t files < <(for f in "${files[@]}"; do grep -q "\"file\": \"$PWD/$f\"" build-clang/compile_commands.json && echo "$f"; done)
log=build-clang/tidy.log
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 2 clang-tidy-19 -p build-clang --quiet \
    --warnings-as-errors='*' >"$log" 2>/dev/null || {
    grep -E '(error|warning):' "$log" | sort | uniq | head -40 >&2
    die "clang-tidy has complaints; all of it is in $log"
}
say "clang-tidy: ${#files[@]} files, no complaints"
