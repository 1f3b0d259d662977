// SPDX-License-Identifier: Apache-2.0
//
// Bound recorders: the series is looked up once, then a record costs its cell (about 1 ns a
// counter, 4 ns a histogram, inlined).
//
//     static const auto retries = gym::telemetry::bind_sandbox_create_retry("docker");
//     retries.record();
//
// May be made before init and outlives generations: in each it resolves anew, once a thread.
// Follows the same rules as the recorder it is named after. Any number of threads may record
// through one object; it is move-only, and must not be moved or destroyed while others use it.
// About 200 bytes, and in each thread that records through any 4 KiB for 512 of them. Beyond 16,383
// series bound at once, records through the later ones cost what the plain recorder's first look at
// a series does.
#pragma once

#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/detail/api.hpp>
#include <gym/telemetry/detail/bucket_index.hpp>
#include <gym/telemetry/detail/cell.hpp>
#include <gym/telemetry/detail/control.hpp>
#include <gym/telemetry/detail/thread_view.hpp>
#include <gym/telemetry/recorders.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace gym::telemetry {

namespace detail {

struct binding_state;

// The values of one series, and where to find its cell in the calling thread.
class GYM_TELEMETRY_API binding {
public:
    // `instrument` is a name of the table. Throws bad_alloc.
    binding(std::string_view instrument, std::initializer_list<std::string_view> values);
    binding(binding&& other) noexcept;
    binding& operator=(binding&& other) noexcept;
    ~binding();

    // Null while telemetry is off, and when the record must go the long way.
    word* cell() const noexcept {
        const auto relaxed = std::memory_order_relaxed;
        if (word* known = this_thread_view->bound.load(relaxed)[id_].load(relaxed)) [[likely]]
            return known;
        return recording() == 0 ? nullptr : resolve();
    }
    void add_elsewhere(std::int64_t amount) const noexcept;
    void record_elsewhere(double value) const noexcept;

private:
    word* resolve() const noexcept;

    std::size_t id_ = 0;  // 0: moved from, or one of too many
    std::unique_ptr<binding_state> state_;
};

inline constexpr std::string_view flag_text(bool flag) noexcept {
    return flag ? std::string_view("\1", 1) : std::string_view("\0", 1);
}

}  // namespace detail

class bound_counter {
public:
    explicit bound_counter(detail::binding to) noexcept : to_(std::move(to)) {}
    void record() const noexcept {
        if (auto* cell = to_.cell()) [[likely]]
            detail::add(*cell, 1);
        else if (detail::recording())
            to_.add_elsewhere(1);
    }

private:
    detail::binding to_;
};

class bound_up_down_counter {
public:
    explicit bound_up_down_counter(detail::binding to) noexcept : to_(std::move(to)) {}
    void record(std::int64_t delta) const noexcept {
        auto* cell = to_.cell();
        if (cell != nullptr && detail::try_add(*cell, delta)) [[likely]]
            return;
        if (detail::recording()) to_.add_elsewhere(delta);
    }

private:
    detail::binding to_;
};

template <const auto& Boundaries>
class bound_histogram {
public:
    explicit bound_histogram(detail::binding to) noexcept : to_(std::move(to)) {}
    // Milliseconds; NaN, infinite and negative ones are dropped and counted.
    void record(double duration_ms) const noexcept {
        auto* cell = to_.cell();
        // One comparison each for both ends; false for NaN.
        if (cell != nullptr && duration_ms >= 0 && duration_ms <= largest) [[likely]]
            detail::record_histogram(cell, bucket_of(duration_ms), duration_ms);
        else if (detail::recording())
            to_.record_elsewhere(duration_ms);
    }
    template <class Rep, class Period>
    void record(std::chrono::duration<Rep, Period> duration) const noexcept {
        record(detail::to_ms(duration));
    }

private:
    static constexpr double largest = std::numeric_limits<double>::max();
    static constexpr detail::bucket_index<Boundaries.size()> bucket_of{Boundaries.data()};
    detail::binding to_;
};

using bound_sandbox_histogram = bound_histogram<sandbox_duration_boundaries_ms>;
using bound_startup_histogram = bound_histogram<server_startup_boundaries_ms>;
using bound_pool_histogram = bound_histogram<http_connection_pool_queue_duration_boundaries_ms>;

// A reward goes to the series of its range.
class bound_rollout_reward {
public:
    bound_rollout_reward(std::string_view dispatch_name, bool masked)
        : negative_(range(reward_range::negative, dispatch_name, masked)),
          zero_(range(reward_range::zero, dispatch_name, masked)),
          partial_(range(reward_range::partial, dispatch_name, masked)),
          full_(range(reward_range::full, dispatch_name, masked)),
          above_one_(range(reward_range::above_one, dispatch_name, masked)) {}
    // NaN is dropped and counted.
    void record(double reward) const noexcept {
        if (reward < 0) return negative_.record();
        if (reward == 0) return zero_.record();
        if (reward < 1) return partial_.record();
        if (reward == 1) return full_.record();
        if (reward > 1) return above_one_.record();
        record_rollout_reward(reward, {}, false);  // NaN
    }

private:
    static bound_counter range(std::string_view range, std::string_view name, bool masked) {
        return bound_counter(
            {rollout_rewarded_instrument, {range, name, detail::flag_text(masked)}});
    }
    bound_counter negative_, zero_, partial_, full_, above_one_;
};

// A verdict with the same flagged checks each time; a repeated check counts once.
class GYM_TELEMETRY_API bound_rollout_health {
public:
    bound_rollout_health(std::string_view verdict, std::string_view outcome,
                         std::span<const std::string_view> flagged_checks);
    void record() const noexcept {
        verdict_.record();
        for (const bound_counter& check : checks_) check.record();
    }

private:
    bound_counter verdict_;
    std::vector<bound_counter> checks_;  // and one for each id that is none: the drop of it
};

class bound_verify {
public:
    bound_verify()
        : duration_({verify_duration_instrument, {}}), rate_(verify_success_rate_instrument, {}) {}
    void record(double duration_ms, bool succeeded) const noexcept {
        duration_.record(duration_ms);
        if (auto* cell = rate_.cell()) [[likely]] {
            detail::add(cell[0], succeeded);
            detail::add(cell[1], 1);
        } else if (detail::recording()) {
            rate_.add_elsewhere(succeeded);
        }
    }
    template <class Rep, class Period>
    void record(std::chrono::duration<Rep, Period> duration, bool succeeded) const noexcept {
        record(detail::to_ms(duration), succeeded);
    }

private:
    bound_startup_histogram duration_;
    detail::binding rate_;
};

class bound_active_servers {
public:
    bound_active_servers() : to_(servers_active_instrument, {}) {}
    void record(std::int64_t count) const noexcept {
        const auto value = static_cast<double>(count);
        if (auto* cell = to_.cell()) [[likely]]
            detail::set_double(*cell, value);
        else if (detail::recording())
            to_.record_elsewhere(value);
    }

private:
    detail::binding to_;
};

// One for each recorder. All throw bad_alloc only.

inline bound_up_down_counter bind_sandbox_active(std::string_view provider) {
    return bound_up_down_counter({sandbox_active_instrument, {provider}});
}
inline bound_sandbox_histogram bind_sandbox_startup(std::string_view provider) {
    return bound_sandbox_histogram({sandbox_startup_instrument, {provider}});
}
inline bound_sandbox_histogram bind_sandbox_exec_duration(std::string_view provider) {
    return bound_sandbox_histogram({sandbox_exec_instrument, {provider}});
}
inline bound_counter bind_sandbox_create_retry(std::string_view provider) {
    return bound_counter({sandbox_create_retry_instrument, {provider}});
}
inline bound_startup_histogram bind_server_startup_stage(std::string_view stage,
                                                         std::string_view server_name,
                                                         std::string_view server_type,
                                                         bool worker = false) {
    return bound_startup_histogram({server_startup_stage_instrument,
                                    {stage, server_name, server_type, detail::flag_text(worker)}});
}
inline bound_pool_histogram bind_http_connection_pool_queue_duration(
    std::string_view queue_constraint, std::string_view queue_outcome,
    std::string_view server_name) {
    return bound_pool_histogram({http_connection_pool_queue_duration_instrument,
                                 {queue_constraint, queue_outcome, server_name}});
}
inline bound_pool_histogram bind_http_connection_pool_connect_duration(
    std::string_view outcome, std::string_view server_name) {
    return bound_pool_histogram(
        {http_connection_pool_connect_duration_instrument, {outcome, server_name}});
}
inline bound_counter bind_rollout_completed(std::string_view outcome,
                                            std::string_view dispatch_name,
                                            const failure& why = {}) {
    return bound_counter(
        {rollout_completed_instrument,
         {outcome, dispatch_name, why.failure_class, why.failure_kind, why.failure_type}});
}
inline bound_rollout_reward bind_rollout_reward(std::string_view dispatch_name, bool masked) {
    return bound_rollout_reward(dispatch_name, masked);
}
inline bound_rollout_health bind_rollout_health(
    std::string_view verdict, std::string_view outcome,
    std::span<const std::string_view> flagged_checks = {}) {
    return bound_rollout_health(verdict, outcome, flagged_checks);
}
inline bound_startup_histogram bind_rollout_duration() {
    return bound_startup_histogram({rollout_duration_instrument, {}});
}
inline bound_startup_histogram bind_server_request() {
    return bound_startup_histogram({server_request_duration_instrument, {}});
}

inline bound_verify bind_verify() {
    return bound_verify();
}
inline bound_active_servers bind_active_servers() {
    return bound_active_servers();
}

}  // namespace gym::telemetry
