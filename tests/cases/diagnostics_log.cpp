// SPDX-License-Identifier: Apache-2.0
#include "diagnostics_log.hpp"

#include "values.hpp"
#include "verdict.hpp"

#include <algorithm>

namespace gym::telemetry::cases {

diagnostics_log::diagnostics_log() {
    set_diagnostics_handler(
        [](const diagnostic& what, void* context) {
            auto& log = *static_cast<diagnostics_log*>(context);
            const std::lock_guard lock(log.mutex_);
            log.messages_.emplace_back(what.message);
        },
        this);
}

diagnostics_log::~diagnostics_log() {
    set_diagnostics_handler(nullptr);
}

std::vector<std::string> diagnostics_log::messages() {
    const std::lock_guard lock(mutex_);
    return messages_;
}

void check_diagnostics(const case_file& c, const std::vector<std::string>& messages) {
    std::string all;
    for (const std::string& message : messages) all += " " + json_text(message);
    if (const json_value* count = c.expects("diagnostics"))
        require(static_cast<std::int64_t>(messages.size()) == int64_of(*count),
                std::to_string(messages.size()) + " diagnostics:" + all);
    const json_value* mentions = c.expects("diagnostic_mentions");
    if (mentions == nullptr) return;
    const auto holds_all = [&](const std::string& message) {
        return std::ranges::all_of(mentions->items, [&](const json_value& text) {
            return message.find(text_of(text)) != message.npos;
        });
    };
    require(std::ranges::any_of(messages, holds_all),
            "no diagnostic mentions " + to_json(*mentions) + ":" + all);
}

}  // namespace gym::telemetry::cases
