// SPDX-License-Identifier: Apache-2.0
#include <gym/telemetry/health.hpp>
#include <gym/telemetry/rollout.hpp>

#include <algorithm>
#include <array>

#include <base/utf8.hpp>
#include <cli/replay_sink.hpp>
#include <fmt/format.h>
#include <rollout/rollout_row.hpp>

namespace gymtel {

namespace rollout = gym::telemetry::rollout;

void replay_sink::accept(const rollout::row& r, std::string_view text, std::uint64_t) {
    ++rows_;
    if (r.created_at_s > 0) {
        oldest_s_ = oldest_s_ > 0 ? std::min(oldest_s_, r.created_at_s) : r.created_at_s;
        newest_s_ = std::max(newest_s_, r.created_at_s);
    }
    const std::string_view environment = r.dispatch_name();
    gym::telemetry::record_rollout_row(rollout::to_recorded(r), outcome_, environment);
    if (r.drained) {
        ++drained_;
        return;
    }
    token_sums& tokens = tokens_of(environment);
    tokens.input += static_cast<std::uint64_t>(r.input_tokens.value_or(0));
    tokens.output += static_cast<std::uint64_t>(r.output_tokens.value_or(0));
    tokens.input_unknown += !r.input_tokens;
    tokens.output_unknown += !r.output_tokens;
    if (health_) evaluate_health(text);
}

// The one place where a row that was read gets its health verdict.
void replay_sink::evaluate_health(std::string_view text) {
    gym::telemetry::record_row_health(text, outcome_);
}

token_sums& replay_sink::tokens_of(std::string_view environment) {
    // Under the name that the recorders give it.
    std::array<char, gym::telemetry::detail::attribute_size_max> buffer;
    if (environment.size() > buffer.size())
        environment = gym::telemetry::detail::normalize_text(environment, buffer);
    if (last_tokens_ == nullptr || last_tokens_->first != environment) {
        auto found = tokens_.find(environment);
        if (found == tokens_.end())
            found = tokens_.emplace(std::string(environment), token_sums{}).first;
        last_tokens_ = &*found;
    }
    return last_tokens_->second;
}

void replay_sink::refuse(rollout::reject why, std::uint64_t line) {
    ++rejected_;
    const std::string note = note_.empty() ? std::string() : fmt::format(" ({})", note_);
    out_.complain(fmt::format("{}:{}: {}{}", name_, line, rollout::to_text(why), note));
}

}  // namespace gymtel
