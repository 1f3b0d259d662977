# runs all tests under AddressSanitizer and UndefinedBehaviorSanitizer (clang)
dev setup
sanitized address build-asan "$@"
