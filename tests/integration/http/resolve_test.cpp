// SPDX-License-Identifier: Apache-2.0
//
// A name that is found to be unknown before curl first asks for the result: curl then fails while
// it begins to connect, and not later. Whether its resolver thread is that fast is up to the
// scheduler; here it is, since curl is held up, when it gives the thread's lock free, until the
// thread is over.
#include "loop_fixture.hpp"
#include "sanitizers.hpp"

#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

#include <dlfcn.h>
#include <pthread.h>

#ifndef GYM_TELEMETRY_SANITIZED  // a sanitizer has these two functions itself

namespace {

thread_local bool is_held_up = false;
thread_local std::ptrdiff_t threads_before = 0;

std::ptrdiff_t threads() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

template <class Function>
Function* next_of(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// Both stand before libc's for libcurl, too.
extern "C" {
__attribute__((visibility("default"))) int pthread_create(pthread_t* made,
                                                          const pthread_attr_t* attributes,
                                                          void* (*run)(void*),
                                                          void* user) noexcept {
    static auto* const real = next_of<decltype(pthread_create)>("pthread_create");
    if (is_held_up) threads_before = threads();
    return real(made, attributes, run, user);
}

__attribute__((visibility("default"))) int pthread_mutex_unlock(pthread_mutex_t* lock) noexcept {
    static auto* const real = next_of<decltype(pthread_mutex_unlock)>("pthread_mutex_unlock");
    const int status = real(lock);
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (threads_before > 0 && threads() > threads_before &&
           std::chrono::steady_clock::now() < last)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    threads_before = 0;
    return status;
}
}

namespace gym::telemetry::http {

TEST_F(HttpLoop, HostThatIsUnknownAtOnceIsAFailedConnect) {
    make({});
    pending& each = send("http://nobody.invalid/");
    is_held_up = true;
    until_all_are_over();
    is_held_up = false;
    EXPECT_EQ(each.answer.error, http_error::resolve);
    EXPECT_EQ(lines("connected", "failed model"), 1);
}

}  // namespace gym::telemetry::http

#endif
