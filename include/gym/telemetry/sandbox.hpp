// SPDX-License-Identifier: Apache-2.0
//
// The call sites of a gym that runs sandboxes. A scope around a provider's create and release:
//
//     auto box = gym::telemetry::start_sandbox(
//         "docker", [&] { return docker.run(image); },        // -> a handle
//         [&](std::string& id) { docker.remove(id); });       // throws when it fails
//     box.exec([&](std::string& id) { return docker.exec(id, command); });
//     box.release();  // or the end of the scope
//
// It times the start, counts +1 when the handle exists and -1 exactly once when it is released:
// - a start that fails counts nothing; the provider's own error goes through to the caller;
// - a release that throws may be tried again: the sandbox stays counted until one succeeds;
// - two threads may release at once: one does it, the other waits for it;
// - a sandbox that was only connected to (connect_sandbox) is never counted;
// - nor is one that a forked child inherits: the scope there neither subtracts nor releases it.
//
// Gates: start, exec and the +1 ask the span group `sandbox`, the -1 belongs to its +1. The preset
// `default` does not hold the group: when metrics are on and it is off, one diagnostic says so.
// Source: the telemetry API page of NVIDIA NeMo Gym. Beyond the page: sandbox_extensions.hpp.
// For coroutines and callbacks: sandbox_lifecycle.hpp. Retries: sandbox_retry.hpp.
#pragma once

#include <gym/telemetry/sandbox_lifecycle.hpp>

#include <concepts>
#include <exception>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gym::telemetry {

// How to read a provider's errors. Both are asked about an error that goes to the caller anyway.
struct sandbox_errors {
    // Whether what left `create` or `exec` says that the caller was cancelled. Null: never.
    bool (*is_cancellation)(const std::exception_ptr& error) = nullptr;
    // Whether what left `release` rules out that another try succeeds. Null: never.
    bool (*is_final)(const std::exception_ptr& error) = nullptr;
};

namespace detail {

inline bool says(bool (*asked)(const std::exception_ptr&)) {
    return asked != nullptr && asked(std::current_exception());
}

// The id under which a ledger keeps the sandbox and an orphan is named: the handle when it is text,
// else its `id`, else none.
template <class Handle>
std::string_view id_of_handle(const Handle& handle) {
    if constexpr (std::convertible_to<const Handle&, std::string_view>)
        return handle;
    else if constexpr (requires {
                           { handle.id() } -> std::convertible_to<std::string_view>;
                       }) {
        // A text that is returned by value would be gone.
        if constexpr (std::is_reference_v<decltype(handle.id())> ||
                      std::is_same_v<decltype(handle.id()), std::string_view>)
            return handle.id();
        else
            return {};
    } else if constexpr (requires {
                             { handle.id } -> std::convertible_to<std::string_view>;
                         })
        return handle.id;
    else
        return {};
}

template <class Work, class... Args>
decltype(auto) invoke_with(Work& work, Args&... args) {
    if constexpr (std::is_invocable_v<Work&, Args&...>)
        return work(args...);
    else
        return work();
}

}  // namespace detail

// Runs `work`, one start, and times it alone: nothing is counted as held. What it returns or throws
// goes to the caller.
template <class Work>
decltype(auto) time_sandbox_start(std::string_view provider, Work&& work,
                                  sandbox_errors errors = {}) {
    sandbox_start_timer timer(provider);
    try {
        if constexpr (std::is_void_v<decltype(work())>) {
            work();
            timer.succeeded();
        } else {
            decltype(auto) made = work();
            timer.succeeded();
            return made;
        }
    } catch (...) {
        detail::says(errors.is_cancellation) ? timer.cancelled() : timer.failed();
        throw;
    }
}

// Runs `work`, one command in a running sandbox. Returning is having run, whatever the exit code
// is; throwing is not having run to its end, which gym.sandbox.exec_duration_ms leaves out.
template <class Work>
decltype(auto) time_sandbox_exec(std::string_view provider, Work&& work,
                                 sandbox_errors errors = {}) {
    sandbox_exec_timer timer(provider);
    try {
        if constexpr (std::is_void_v<decltype(work())>) {
            work();
            timer.finished();
        } else {
            decltype(auto) answer = work();
            timer.finished();
            return answer;
        }
    } catch (...) {
        detail::says(errors.is_cancellation) ? timer.cancelled() : timer.failed();
        throw;
    }
}

// One sandbox, held. Made by start_sandbox and connect_sandbox; move-only; empty when it was made
// without arguments or moved from. `release` and `exec` may be called from several threads at once,
// moving and destroying may not.
template <class Handle, class Release>
class sandbox {
public:
    sandbox() noexcept = default;
    sandbox(sandbox&&) noexcept = default;
    sandbox& operator=(sandbox&& other) noexcept {
        if (this != &other) {
            close();
            state_ = std::move(other.state_);
        }
        return *this;
    }
    // Releases what is still held. When that fails nobody can try again: the sandbox is no longer
    // counted, and a diagnostic names it, since it exists and nobody holds it. Does not throw.
    ~sandbox() { close(); }

    // Whether there is a sandbox that was not released yet.
    explicit operator bool() const noexcept { return state_ && state_->life.is_held(); }
    // Only when there is one. It stays there after the release, until the object goes.
    Handle& handle() noexcept { return state_->handle; }
    const Handle& handle() const noexcept { return state_->handle; }

    // Runs the provider's release, unless another thread did it already or there is nothing to
    // release: then `released`. What the provider throws goes to the caller; the sandbox stays held
    // and counted then, unless sandbox_errors::is_final says that another try is useless.
    release_result release() {
        if (!state_ || !state_->life.begin_release()) return release_result::released;
        try {
            const release_result result = run_release();
            state_->life.end_release(result);
            return result;
        } catch (...) {
            state_->life.end_release(detail::says(state_->errors.is_final)
                                         ? release_result::lost
                                         : release_result::failed);
            throw;
        }
    }

    // time_sandbox_exec with this sandbox's provider. `work` takes the handle, or nothing. Only
    // when there is a sandbox.
    template <class Work>
    decltype(auto) exec(Work&& work) {
        return time_sandbox_exec(
            state_->life.provider(),
            [&]() -> decltype(auto) { return detail::invoke_with(work, state_->handle); },
            state_->errors);
    }

private:
    struct state {
        template <class Create>
        state(std::string_view provider, Create& create, Release&& how, sandbox_errors rules,
              bool connects)
            : release(std::move(how)),
              errors(rules),
              life(provider, connects),
              handle(run(create, *this)) {
            life.handed_over(detail::id_of_handle(handle));
        }

        template <class Create>
        static Handle run(Create& create, state& self) {
            try {
                return detail::invoke_with(create, self.life);
            } catch (...) {
                detail::says(self.errors.is_cancellation) ? self.life.start_cancelled()
                                                          : self.life.start_failed();
                throw;
            }
        }

        Release release;
        sandbox_errors errors;
        sandbox_lifecycle life;
        Handle handle;
    };

    release_result run_release() {
        using result = decltype(detail::invoke_with(state_->release, state_->handle));
        static_assert(std::is_void_v<result> || std::is_same_v<result, release_result>,
                      "release returns nothing and throws, or returns a release_result");
        if constexpr (std::is_void_v<result>) {
            detail::invoke_with(state_->release, state_->handle);
            return release_result::released;
        } else {
            return detail::invoke_with(state_->release, state_->handle);
        }
    }

    void close() noexcept {
        if (!state_) return;
        if (state_->life.is_ours()) {
            try {
                release();
            } catch (...) {
                // The lifecycle's destructor reports what is held still; there is no caller here.
            }
        }
        state_.reset();
    }

    // On the heap, and there before `create` runs: a sandbox that exists must not be lost because
    // no memory is left for its scope.
    std::unique_ptr<state> state_;

    template <class C, class R>
    friend auto start_sandbox(std::string_view, C&&, R&&, sandbox_errors);
    template <class C, class R>
    friend auto connect_sandbox(std::string_view, C&&, R&&, sandbox_errors);
    template <class C>
    static sandbox make(std::string_view provider, C& create, Release how, sandbox_errors errors,
                        bool connects) {
        sandbox made;
        made.state_ = std::make_unique<state>(provider, create, std::move(how), errors, connects);
        return made;
    }
};

namespace detail {
template <class Create, class Release>
using sandbox_made_by =
    sandbox<std::decay_t<decltype(invoke_with(std::declval<std::remove_reference_t<Create>&>(),
                                              std::declval<sandbox_lifecycle&>()))>,
            std::decay_t<Release>>;
}  // namespace detail

// Runs `create`, which returns the handle of a new sandbox, and holds what it returns. `create`
// takes nothing, or a sandbox_lifecycle&, whose made(id) tells that the provider has made the
// sandbox although its handle may yet be lost: when `create` throws after that, a diagnostic names
// the sandbox as one that nobody holds. `release` takes the handle or nothing; it throws when it
// fails, or returns a release_result.
template <class Create, class Release>
auto start_sandbox(std::string_view provider, Create&& create, Release&& release,
                   sandbox_errors errors = {}) {
    return detail::sandbox_made_by<Create, Release>::make(
        provider, create, std::forward<Release>(release), errors, false);
}

// The same around a sandbox that exists already: neither its start nor its end is recorded or
// counted here, its commands are. `release` lets go of the connection.
template <class Connect, class Release>
auto connect_sandbox(std::string_view provider, Connect&& connect, Release&& release,
                     sandbox_errors errors = {}) {
    return detail::sandbox_made_by<Connect, Release>::make(
        provider, connect, std::forward<Release>(release), errors, true);
}

}  // namespace gym::telemetry
