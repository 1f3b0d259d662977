# builds and runs all tests (arguments go to ctest, such as -R Threads)
dev build
say "running the tests"
test_log=build/test.log
# Some tests measure time or memory; on a machine that others share, one that failed is run again.
[ -z "${CI:-}" ] || set -- --repeat until-pass:3 "$@"
status=0
ctest --test-dir build --output-on-failure -j "$(nproc)" "$@" >"$test_log" 2>&1 || status=$?
[ $status -eq 0 ] ||
    grep -vE '^ *[0-9]+/[0-9]+ Test .* Passed|^ +Start ' "$test_log" | tail -150 >&2
# Why tests were skipped: no package index, as a rule.
grep -h '^skipped: ' build/Testing/Temporary/LastTest.log | sort -u | sed 's/^/-- /' >&2 || true
summary "$test_log"
[ $status -eq 0 ] || die "tests failed; all of it is in $test_log"
