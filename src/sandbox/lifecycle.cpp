// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostics.hpp"
#include "sandbox/ledger.hpp"

#include <gym/telemetry/detail/control.hpp>
#include <gym/telemetry/recorders.hpp>
#include <gym/telemetry/sandbox_extensions.hpp>
#include <gym/telemetry/sandbox_lifecycle.hpp>

#include <new>

#include <unistd.h>

namespace gym::telemetry {

namespace {

// A name that could not be kept is lost to telemetry, never to the gym.
std::string copy_of(std::string_view text) noexcept {
    try {
        return std::string(text);
    } catch (const std::bad_alloc&) {
        return {};
    }
}

// Tells threads apart, without the headers of threads.
const void* this_thread() noexcept {
    static thread_local char mark;
    return &mark;
}

std::string_view text_of(release_result result) noexcept {
    switch (result) {
        case release_result::released:
            return release_outcome::released;
        case release_result::not_found:
            return release_outcome::not_found;
        case release_result::failed:
            return release_outcome::failed;
        case release_result::lost:
            return release_outcome::lost;
    }
    return release_outcome::failed;
}

}  // namespace

sandbox_lifecycle::sandbox_lifecycle(std::string_view provider, bool connects) noexcept
    : provider_(copy_of(provider)),
      timer_(provider_, sandbox_start_timer::not_timed()),
      pid_(getpid()),
      connects_(connects) {
    if (connects || !sandbox_call_site_enabled()) return;
    is_watched_ = true;
    timer_.begin();
}

sandbox_lifecycle::~sandbox_lifecycle() {
    // Acquire: what other threads did to this sandbox has been seen before it goes.
    switch (stage_.load(std::memory_order_acquire)) {
        case stage::starting:
            start_failed();
            break;
        case stage::over:
            break;
        case stage::held:
        case stage::releasing:
            end_release(release_result::lost);
    }
}

void sandbox_lifecycle::made(std::string_view id) noexcept {
    made_ = true;
    id_ = copy_of(id);
    if (!connects_) place_ = detail::ledger_add(provider_, id_);
}

void sandbox_lifecycle::handed_over(std::string_view id) noexcept {
    timer_.succeeded();
    const bool is_news = !id.empty() && id != id_;
    if (is_news) id_ = copy_of(id);
    if (!connects_ && (is_news || place_ == nullptr)) {
        detail::ledger_remove(place_);
        place_ = detail::ledger_add(provider_, id_);
    }
    if (is_watched_ && detail::recording() != 0) {
        record_sandbox_active(1, provider_);
        is_counted_ = true;
    }
    // Release: whoever gets the right to release sees that it was counted.
    stage_.store(stage::held, std::memory_order_release);
}

void sandbox_lifecycle::start_failed() noexcept {
    timer_.failed();
    start_ended_without_handle();
}

void sandbox_lifecycle::start_cancelled() noexcept {
    timer_.cancelled();
    start_ended_without_handle();
}

void sandbox_lifecycle::start_ended_without_handle() noexcept {
    stage_.store(stage::over, std::memory_order_release);
    if (made_ && !connects_ && is_ours())
        report_orphan("its start ended before the handle reached anybody");
}

bool sandbox_lifecycle::begin_release() noexcept {
    for (;;) {
        stage seen = stage::held;
        if (stage_.compare_exchange_strong(seen, stage::releasing, std::memory_order_acq_rel,
                                           std::memory_order_acquire)) {
            releaser_.store(this_thread(), std::memory_order_relaxed);
            return true;
        }
        // A provider's release that calls back in must not wait for itself.
        if (seen != stage::releasing || releaser_.load(std::memory_order_relaxed) == this_thread())
            return false;
        stage_.wait(stage::releasing, std::memory_order_acquire);
    }
}

void sandbox_lifecycle::end_release(release_result result) noexcept {
    if (!connects_ && is_ours()) {
        if (is_watched_) record_sandbox_release(text_of(result), provider_);
        if (result != release_result::failed) stop_counting();
        if (result == release_result::lost)
            report_orphan("its release failed and nobody will try again");
        else if (result != release_result::failed)
            detail::ledger_remove(place_);
    }
    releaser_.store(nullptr, std::memory_order_relaxed);
    stage_.store(result == release_result::failed ? stage::held : stage::over,
                 std::memory_order_release);
    stage_.notify_all();
}

// No gate: what was counted is subtracted, whatever the group says now.
void sandbox_lifecycle::stop_counting() noexcept {
    if (!is_counted_) return;
    is_counted_ = false;
    record_sandbox_active(-1, provider_);
}

void sandbox_lifecycle::report_orphan(const char* why) noexcept {
    detail::ledger_mark_orphaned(place_);
    if (!is_watched_ && place_ == nullptr) return;
    try {
        const std::string name = id_.empty() ? "a sandbox" : "sandbox '" + id_ + "'";
        detail::diagnose(
            "sandbox.orphan",
            "provider '" + provider_ + "': " + name + " may exist and nobody holds it: " + why,
            provider_ + '/' + id_);
    } catch (const std::bad_alloc&) {
        // Not said, then; the ledger has it.
    }
}

bool sandbox_lifecycle::is_held() const noexcept {
    const stage now = stage_.load(std::memory_order_acquire);
    return now == stage::held || now == stage::releasing;
}

bool sandbox_lifecycle::is_ours() const noexcept {
    return pid_ == getpid();
}

}  // namespace gym::telemetry
