// SPDX-License-Identifier: Apache-2.0
#include <gym/telemetry/constants.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include <base/diagnostics.hpp>
#include <rollout/json_scan.hpp>
#include <rollout/rollout_row.hpp>
#include <rollout/row_reader.hpp>
#include <simdjson.h>

namespace gym::telemetry {
namespace rollout {

rollout_row to_recorded(const row& r) noexcept {
    rollout_row recorded;
    if (r.reward_is == reward_state::number) recorded.reward = r.reward;
    recorded.masked = r.masked;
    recorded.why = {r.failure_class, r.failure_kind, r.failure_type};
    recorded.drained = r.drained;
    return recorded;
}

}  // namespace rollout

namespace detail {
namespace {

// A copy as row_reader wants it. Newlines, which may stand between the tokens of a row that was not
// written as one line, become carriage returns: the same white space to JSON, and as wrong as
// newlines inside a string.
std::unique_ptr<char[]> to_line(std::string_view row_json) {
    auto line = std::make_unique_for_overwrite<char[]>(row_json.size() + 1 + rollout::scan_padding);
    char* const end = std::copy(row_json.begin(), row_json.end(), line.get());
    std::replace(line.get(), end, '\n', '\r');
    std::memset(end, '\n', 1 + rollout::scan_padding);
    return line;
}

// An attempt that is in no counter should not be missing in silence.
void complain_of_row(rollout::reject why, std::string_view outcome,
                     std::string_view dispatch_name) {
    std::string message = "a row of '";
    message.append(dispatch_name).append("' is no JSON object (").append(rollout::to_text(why));
    message.append("): its attempt, ").append(outcome).append(", was not counted");
    diagnose("rollout.row", message, dispatch_name);
}

}  // namespace

void rollout_row_json(std::string_view row_json, std::string_view outcome,
                      std::string_view dispatch_name) noexcept {
    try {
        if (!simdjson::validate_utf8(row_json))
            return complain_of_row(rollout::reject::utf8, outcome, dispatch_name);
        const auto line = to_line(row_json);
        rollout::row_reader reader;
        const rollout::reject problem = reader.read(line.get());
        if (problem != rollout::reject::none)
            return complain_of_row(problem, outcome, dispatch_name);
        rollout_row_fields(rollout::to_recorded(reader.last()), outcome, dispatch_name);
    } catch (...) {  // out of memory for the copy: telemetry never hurts its host
        return;
    }
}

void rollout_row_fields(const rollout_row& row, std::string_view outcome,
                        std::string_view dispatch_name) noexcept {
    if (row.drained) return;
    const bool is_scored = outcome == outcome::scored;
    record_rollout_completed(outcome, dispatch_name, is_scored ? failure{} : row.why);
    if (is_scored && row.reward) record_rollout_reward(*row.reward, dispatch_name, row.masked);
}

}  // namespace detail
}  // namespace gym::telemetry
