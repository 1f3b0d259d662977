// SPDX-License-Identifier: Apache-2.0
#include "engine/threads.hpp"
#include "instruments/record.hpp"
#include "instruments/rules.hpp"

#include <gym/telemetry/bound.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace gym::telemetry {

namespace detail {

// What a binding keeps to resolve itself in each thread and generation.
struct binding_state {
    engine::instrument_id instrument = 0;
    std::string text;
    std::vector<std::string_view> values;  // into text
};

namespace {

// Ids index the threads' tables, so those of bindings that ended are used again; `unique` tells a
// slot that an earlier owner of the id has filled. Never destroyed: see engine/threads.cpp.
struct id_pool {
    std::mutex mutex;
    std::vector<std::uint32_t> free;
    std::uint32_t next = 0;
};

id_pool& ids() {
    static auto* const pool = new id_pool;
    return *pool;
}

std::uint32_t take_id() {
    id_pool& pool = ids();
    const std::lock_guard lock(pool.mutex);
    if (pool.free.empty()) {
        pool.free.reserve(pool.next + 1);  // so that an id can always be given back
        return pool.next++;
    }
    const std::uint32_t id = pool.free.back();
    pool.free.pop_back();
    return id;
}

void give_back(std::uint32_t id) noexcept {
    id_pool& pool = ids();
    const std::lock_guard lock(pool.mutex);
    pool.free.push_back(id);
}

std::atomic<std::uint64_t> next_unique{1};

}  // namespace

binding::binding(std::string_view instrument, std::initializer_list<std::string_view> values)
    : state_(std::make_unique<binding_state>()) {
    state_->instrument = static_cast<engine::instrument_id>(instruments::find_row(instrument));
    for (const std::string_view value : values) state_->text += value;
    const char* at = state_->text.data();
    for (const std::string_view value : values) {
        state_->values.emplace_back(at, value.size());
        at += value.size();
    }
    id_ = take_id();
    unique_ = next_unique.fetch_add(1, std::memory_order_relaxed);
}

binding::binding(binding&& other) noexcept
    : id_(other.id_), unique_(std::exchange(other.unique_, 0)), state_(std::move(other.state_)) {}

binding& binding::operator=(binding&& other) noexcept {
    if (this != &other) {
        if (unique_ != 0) give_back(id_);
        id_ = other.id_;
        unique_ = std::exchange(other.unique_, 0);
        state_ = std::move(other.state_);
    }
    return *this;
}

binding::~binding() {
    if (unique_ != 0) give_back(id_);
}

// The calling thread's cell, remembered in its table of bound cells.
word* binding::resolve() const noexcept {
    if (unique_ == 0 || (recording() & 1) != 0) return nullptr;  // moved from; not by cells alone
    try {
        engine::thread_block* block = engine::attach_this_thread();
        if (block == nullptr) return nullptr;
        word* cell =
            block->owner->cell_for_binding(*block, state_->instrument, state_->values.data());
        if (cell == nullptr) return nullptr;
        if (block->bound.size() <= id_) {
            block->bound.resize(std::max<std::size_t>(id_ + 1, 2 * block->bound.size()));
            block->view.bound = block->bound.data();
            block->view.bound_count = block->bound.size();
        }
        block->bound[id_] = {unique_, cell};
        return cell;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void binding::add_elsewhere(std::int64_t amount) const noexcept {
    if (unique_ == 0) return;
    engine::record_elsewhere(state_->instrument, state_->values.data(), {.integer = amount});
}

void binding::record_elsewhere(double value) const noexcept {
    if (unique_ == 0) return;
    const bool gauge = instruments::catalogue[state_->instrument].kind == instrument_kind::gauge;
    if (gauge || (value >= 0 && value <= std::numeric_limits<double>::max()))
        engine::record_elsewhere(state_->instrument, state_->values.data(), {.real = value});
    else
        instruments::drop_value(state_->instrument, value);
}

}  // namespace detail

bound_rollout_health::bound_rollout_health(std::string_view verdict, std::string_view outcome,
                                           std::span<const std::string_view> flagged_checks)
    : verdict_({rollout_health_verdict_instrument, {verdict, outcome}}) {
    for (std::size_t i = 0; i < flagged_checks.size(); ++i) {
        const auto before = flagged_checks.first(i);
        if (std::ranges::find(before, flagged_checks[i]) != before.end()) continue;
        if (instruments::is_identifier(flagged_checks[i]))
            checks_.push_back(
                bound_counter({rollout_health_flagged_instrument, {flagged_checks[i], outcome}}));
        else
            ++bad_ids_;
    }
}

void bound_rollout_health::count_bad_ids() const noexcept {
    constexpr auto flagged = instruments::id_of(rollout_health_flagged_instrument);
    for (std::size_t i = 0; i < bad_ids_; ++i)
        engine::drop_record(flagged, engine::drop_reason::bad_name);
}

}  // namespace gym::telemetry
