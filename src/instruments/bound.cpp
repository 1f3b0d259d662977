// SPDX-License-Identifier: Apache-2.0
#include "engine/threads.hpp"
#include "instruments/record.hpp"
#include "instruments/rules.hpp"

#include <gym/telemetry/bound.hpp>

#include <algorithm>
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

binding::binding(std::string_view instrument, std::initializer_list<std::string_view> values)
    : state_(std::make_unique<binding_state>()) {
    state_->instrument = static_cast<engine::instrument_id>(instruments::find_row(instrument));
    for (const std::string_view value : values) state_->text += value;
    const char* at = state_->text.data();
    for (const std::string_view value : values) {
        state_->values.emplace_back(at, value.size());
        at += value.size();
    }
    id_ = engine::begin_binding();
}

binding::binding(binding&& other) noexcept
    : id_(std::exchange(other.id_, 0)), state_(std::move(other.state_)) {}

binding& binding::operator=(binding&& other) noexcept {
    if (this != &other) {
        engine::end_binding(id_);
        id_ = std::exchange(other.id_, 0);
        state_ = std::move(other.state_);
    }
    return *this;
}

binding::~binding() {
    engine::end_binding(id_);
}

// The calling thread's cell, remembered in its table of bound cells.
word* binding::resolve() const noexcept {
    if (state_ == nullptr || (recording() & 1) != 0) return nullptr;  // not by cells alone
    try {
        engine::thread_block* block = engine::attach_this_thread();
        if (block == nullptr) return nullptr;
        engine::generation& in_force = *block->owner;
        word* cell = in_force.cell_for_binding(*block, state_->instrument, state_->values.data());
        if (cell != nullptr && id_ != 0) in_force.bind(*block, id_, cell);
        return cell;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void binding::add_elsewhere(std::int64_t amount) const noexcept {
    if (state_ == nullptr) return;
    engine::record_elsewhere(state_->instrument, state_->values.data(), {.integer = amount});
}

void binding::record_elsewhere(double value) const noexcept {
    if (state_ == nullptr) return;
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
        checks_.push_back(
            instruments::is_identifier(flagged_checks[i])
                ? bound_counter({rollout_health_flagged_instrument, {flagged_checks[i], outcome}})
                : bound_counter(
                      {"gym.telemetry.dropped_total",
                       {rollout_health_flagged_instrument, engine::drop_reason::bad_name}}));
    }
}

}  // namespace gym::telemetry
