// SPDX-License-Identifier: Apache-2.0
//
// Startups over an environment and a clock that the test sets.
#pragma once

#include "base/clock.hpp"
#include "startup/server_timeline.hpp"
#include "startup/supervisor_timeline.hpp"
#include "telemetry_fixture.hpp"
#include "trace/span_queue.hpp"

#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/startup.hpp>
#include <gym/telemetry/trace.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace gym::telemetry::test {

class StartupTest : public TelemetryTest {
protected:
    static constexpr std::int64_t second = 1'000'000'000;
    static constexpr std::int64_t entered_ns = 1'900'000'000 * second;  // wall clock

    StartupTest() { detail::set_span_routes(detail::spans_to_memory); }

    // The stamp of so many seconds before the entry.
    static std::string before(double seconds) {
        return std::to_string(entered_ns -
                              static_cast<std::int64_t>(seconds * static_cast<double>(second)));
    }
    static detail::server_timeline server(detail::variable_map variables,
                                          server_startup_options options = {
                                              .server_name = "srv",
                                              .server_type = "resources_servers"}) {
        return detail::server_timeline(std::move(options),
                                       detail::environment(std::move(variables)));
    }
    // Names and milliseconds.
    static std::vector<std::pair<std::string, double>> durations(const auto& timeline) {
        std::vector<std::pair<std::string, double>> result;
        for (const startup_stage& stage : timeline.stages())
            result.emplace_back(stage.name, stage.duration_ms());
        return result;
    }
    static finished_span span_of(const std::vector<finished_span>& spans, const std::string& name) {
        const auto found = std::ranges::find(spans, name, &finished_span::name);
        EXPECT_NE(found, spans.end()) << name;
        return found == spans.end() ? finished_span() : *found;
    }
    static std::vector<std::string> names_of(const std::vector<finished_span>& spans) {
        std::vector<std::string> names;
        for (const finished_span& span : spans) names.push_back(span.name);
        std::ranges::sort(names);
        return names;
    }
    static std::map<std::string, double> points() { return seen(server_startup_stage_instrument); }

    detail::manual_clock clock{77 * second, entered_ns};
};

}  // namespace gym::telemetry::test
