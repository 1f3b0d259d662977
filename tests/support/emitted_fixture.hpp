// SPDX-License-Identifier: Apache-2.0
//
// A file of emitted records in a folder of its own, and what is sent of it.
#pragma once

#include "base/clock.hpp"
#include "complaints.hpp"
#include "handle/emitted_stream.hpp"
#include "otlp/json.hpp"

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gym::telemetry::test {

class EmittedTest : public testing::Test {
protected:
    // A request as OTLP JSON, and parts of it.
    struct request {
        std::string text;
        std::string resource;
        std::string start;  // of the first point
        std::string time;
        std::string active;  // the value of gym.sandbox.active
    };

    ~EmittedTest() override { std::filesystem::remove_all(folder); }

    void append(std::string_view kind, std::string_view value) const {
        const auto record = detail::make_emitted(kind, value, "my provider");
        ASSERT_TRUE(record) << record.failure().text;
        ASSERT_TRUE(detail::append_emitted(file, *record, "run 7"));
    }
    void write(std::string_view text) const { std::ofstream(file, std::ios::app) << text; }

    static request next_request(detail::emitted_stream& from, bool answered = true) {
        request seen;
        const std::string_view body = from.begin(false);
        EXPECT_TRUE(otlp::append_json(otlp::metrics_request_message, body, seen.text));
        from.end(answered);
        seen.resource = part(seen.text, R"re("resource":(.*)"scopeMetrics")re");
        seen.start = part(seen.text, R"re("startTimeUnixNano":"([0-9]+)")re");
        seen.time = part(seen.text, R"re("timeUnixNano":"([0-9]+)")re");
        seen.active = part(seen.text, R"re(gym.sandbox.active.*?"asInt":"(-?[0-9]+)")re");
        return seen;
    }

    std::string folder = make_folder();
    std::string file = folder + "/run/emitted.records";
    settings config;
    complaints said;
    detail::emitted_stream stream{file, config};

private:
    static std::string make_folder() {
        std::string name = testing::TempDir() + "emitted-XXXXXX";
        return mkdtemp(name.data());
    }
    static std::string part(const std::string& text, const char* pattern) {
        std::smatch found;
        return std::regex_search(text, found, std::regex(pattern)) ? found[1].str() : "";
    }
};

}  // namespace gym::telemetry::test
