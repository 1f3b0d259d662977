# runs the tests under ThreadSanitizer (clang), those of threads ten times
dev setup
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:suppressions=$PWD/tools/dev/tsan.supp"
sanitized thread build-tsan "$@"
say "the tests of threads, ten times each"
log=build-tsan/repeated.log
ctest --test-dir build-tsan --output-on-failure -j 2 -R ConcurrentSafe --repeat until-fail:10 \
    >"$log" 2>&1 || {
    tail -80 "$log" >&2
    die "a test of threads failed when repeated; all of it is in $log"
}
