// SPDX-License-Identifier: Apache-2.0
//
// The diagnostics that a test causes. Setting the handler also makes every complaint due again.
#pragma once

#include <gym/telemetry/diagnostics.hpp>

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::test {

class complaints {
public:
    complaints() { set_diagnostics_handler(&complaints::take, this); }
    ~complaints() { set_diagnostics_handler(nullptr); }
    complaints(const complaints&) = delete;
    complaints& operator=(const complaints&) = delete;

    std::vector<std::string> all() const {
        const std::lock_guard lock(mutex_);
        return messages_;
    }

    // Whether one complaint holds all of these texts.
    bool mentions(const std::vector<std::string>& texts) const {
        const std::vector<std::string> messages = all();
        return std::any_of(messages.begin(), messages.end(), [&texts](const std::string& message) {
            return std::all_of(texts.begin(), texts.end(), [&message](const std::string& text) {
                return message.find(text) != std::string::npos;
            });
        });
    }

private:
    static void take(const diagnostic& what, void* self) {
        auto* const taker = static_cast<complaints*>(self);
        const std::lock_guard lock(taker->mutex_);
        taker->messages_.emplace_back(what.message);
    }

    mutable std::mutex mutex_;
    std::vector<std::string> messages_;
};

}  // namespace gym::telemetry::test
