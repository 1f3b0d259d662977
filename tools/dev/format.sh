# formats all C++ sources (--check: only says which are not)
mapfile -t files < <(git ls-files '*.cpp' '*.hpp' '*.h' '*.cc')
if [ "${1:-}" = --check ]; then
    clang-format-19 --dry-run --Werror "${files[@]}" >/tmp/format.$$ 2>&1 || {
        grep -oE '^[^:]+:[0-9]+' /tmp/format.$$ | cut -d: -f1 | sort | uniq -c | sort -rn | head -20 >&2
        rm -f /tmp/format.$$
        die "these files are not formatted: ./dev format"
    }
    rm -f /tmp/format.$$
else
    clang-format-19 -i "${files[@]}"
fi
