// SPDX-License-Identifier: Apache-2.0
//
// The parts that the sandbox scope (sandbox.hpp) is made of, for code that cannot be wrapped in a
// callable: coroutines, callbacks, C interfaces.
//
//     sandbox_lifecycle life("modal");        // the start begins
//     co_await client.create(...);            // throws: `life` records a failed start
//     life.handed_over(id);
//     ...
//     if (life.begin_release()) {             // false: another one did it
//         const bool gone = co_await client.remove(id);
//         life.end_release(gone ? release_result::released : release_result::failed);
//     }
//
// Nothing here throws, calls the provider, or does more than ask a gate while the span group
// `sandbox` is off.
#pragma once

#include <gym/telemetry/detail/api.hpp>
#include <gym/telemetry/gates.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace gym::telemetry {

namespace detail {
struct ledger_cell;
GYM_TELEMETRY_API void sandbox_group_is_off() noexcept;
}  // namespace detail

// The gate of a sandbox call site: whether the span group `sandbox` is on. Says once in each
// generation that it is off while metrics are on.
inline bool sandbox_call_site_enabled() noexcept {
    if (span_group_enabled(span_group::sandbox)) [[unlikely]]
        return true;
    if (metrics_enabled()) [[unlikely]]
        detail::sandbox_group_is_off();
    return false;
}

// Times one start. Success is what gym.sandbox.startup_duration_ms records; the extensions see all.
// `provider` must live as long. One thread at a time.
class sandbox_start_timer {
public:
    explicit sandbox_start_timer(std::string_view provider) noexcept : provider_(provider) {
        if (sandbox_call_site_enabled()) [[unlikely]]
            begin();
    }
    // A start whose end was not told has failed.
    ~sandbox_start_timer() { failed(); }
    sandbox_start_timer(const sandbox_start_timer&) = delete;
    sandbox_start_timer& operator=(const sandbox_start_timer&) = delete;

    // The first of these counts.
    void succeeded() noexcept;
    void failed() noexcept;
    void cancelled() noexcept;

private:
    friend class sandbox_lifecycle;
    struct not_timed {};
    sandbox_start_timer(std::string_view provider, not_timed) noexcept : provider_(provider) {}
    GYM_TELEMETRY_API void begin() noexcept;
    GYM_TELEMETRY_API void end(std::string_view outcome) noexcept;

    static constexpr std::int64_t off = INT64_MIN;
    std::string_view provider_;
    std::int64_t start_ns_ = off;
};

// Times one command in a running sandbox, by the same rules.
class sandbox_exec_timer {
public:
    explicit sandbox_exec_timer(std::string_view provider) noexcept : provider_(provider) {
        if (sandbox_call_site_enabled()) [[unlikely]]
            begin();
    }
    ~sandbox_exec_timer() { failed(); }
    sandbox_exec_timer(const sandbox_exec_timer&) = delete;
    sandbox_exec_timer& operator=(const sandbox_exec_timer&) = delete;

    // It ran to its end, whatever its exit code is.
    void finished() noexcept;
    // It did not.
    void failed() noexcept;
    void cancelled() noexcept;

private:
    GYM_TELEMETRY_API void begin() noexcept;
    GYM_TELEMETRY_API void end(std::string_view outcome) noexcept;

    static constexpr std::int64_t off = INT64_MIN;
    std::string_view provider_;
    std::int64_t start_ns_ = off;
};

// What became of an attempt to release a sandbox.
enum class release_result : std::uint8_t {
    released,
    not_found,  // the provider no longer knows it, which is as good
    failed,     // and may be tried again: still held, still counted
    lost,       // and nobody will try again: no longer counted, named as an orphan
};

// One sandbox from the beginning of its start to its release. Any thread may call; the order is
// that of the functions below. Costs what it records, and one short allocation for names.
class GYM_TELEMETRY_API sandbox_lifecycle {
public:
    // `connects`: to a sandbox that exists, so nothing of it is counted.
    explicit sandbox_lifecycle(std::string_view provider, bool connects = false) noexcept;
    // A start that was not told to have ended has failed; a sandbox that is still held is lost.
    ~sandbox_lifecycle();
    sandbox_lifecycle(const sandbox_lifecycle&) = delete;
    sandbox_lifecycle& operator=(const sandbox_lifecycle&) = delete;

    // The provider has made the sandbox; its handle is still on its way. Should it get lost (the
    // start fails or is cancelled), a diagnostic names the sandbox as one that nobody holds.
    void made(std::string_view id) noexcept;
    // The handle is there: the start has succeeded, +1.
    void handed_over(std::string_view id) noexcept;
    void start_failed() noexcept;
    void start_cancelled() noexcept;

    // The right to release. False when it was released before, or never was held; waits while
    // another thread is at it, and takes over when that one fails.
    bool begin_release() noexcept;
    // By the one who has the right. -1 unless it failed and may be tried again.
    void end_release(release_result result) noexcept;

    // Held: handed over and not released.
    bool is_held() const noexcept;
    // False in a forked child, where the sandbox is its parent's.
    bool is_ours() const noexcept;
    std::string_view provider() const noexcept { return provider_; }

private:
    enum class stage : std::uint8_t { starting, held, releasing, over };
    void start_ended_without_handle() noexcept;
    void stop_counting() noexcept;
    void report_orphan(const char* why) noexcept;

    std::string provider_;
    std::string id_;
    sandbox_start_timer timer_;
    std::atomic<stage> stage_{stage::starting};
    std::atomic<const void*> releaser_{nullptr};  // names the thread that has the right
    const int pid_;
    const bool connects_;
    bool is_watched_ = false;  // the gate was open when the start began
    bool made_ = false;
    bool is_counted_ = false;               // of this object: its +1 was recorded, its -1 was not
    detail::ledger_cell* place_ = nullptr;  // in the ledger; null while there is none
};

inline void sandbox_start_timer::succeeded() noexcept {
    if (start_ns_ != off) end("ok");
}
inline void sandbox_start_timer::failed() noexcept {
    if (start_ns_ != off) end("failed");
}
inline void sandbox_start_timer::cancelled() noexcept {
    if (start_ns_ != off) end("cancelled");
}
inline void sandbox_exec_timer::finished() noexcept {
    if (start_ns_ != off) end("ok");
}
inline void sandbox_exec_timer::failed() noexcept {
    if (start_ns_ != off) end("failed");
}
inline void sandbox_exec_timer::cancelled() noexcept {
    if (start_ns_ != off) end("cancelled");
}

}  // namespace gym::telemetry
