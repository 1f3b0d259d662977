// SPDX-License-Identifier: Apache-2.0
//
// A recorder that keeps what it is told, as one line of text each.
#pragma once

#include "http/pool_recorder.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::http::testing {

class recording_sink final : public pool_recorder {
public:
    void asked(std::string_view destination) override {
        lines.push_back("asked " + std::string(destination));
    }
    void queued(double duration_ms, std::string_view constraint, std::string_view outcome,
                std::string_view destination) override {
        lines.push_back("queued " + number(duration_ms) + " " + std::string(constraint) + " " +
                        std::string(outcome) + " " + std::string(destination));
    }
    void connected(double duration_ms, std::string_view outcome,
                   std::string_view destination) override {
        lines.push_back("connected " + number(duration_ms) + " " + std::string(outcome) + " " +
                        std::string(destination));
    }

    // The lines since the last call, without those about asking.
    std::vector<std::string> take() {
        std::erase_if(lines, [](const std::string& line) { return line.starts_with("asked"); });
        return std::exchange(lines, {});
    }

    std::vector<std::string> lines;

private:
    static std::string number(double value) {
        std::string text = std::to_string(value);
        text.erase(text.find_last_not_of('0') + 1);
        if (text.ends_with('.')) text.pop_back();
        return text;
    }
};

}  // namespace gym::telemetry::http::testing
