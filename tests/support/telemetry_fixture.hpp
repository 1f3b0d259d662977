// SPDX-License-Identifier: Apache-2.0
//
// Telemetry in force with a reader in memory, for tests of call sites.
#pragma once

#include "complaints.hpp"
#include "handle/testing.hpp"

#include <gym/telemetry/gates.hpp>
#include <gym/telemetry/lifecycle.hpp>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace gym::telemetry::test {

class TelemetryTest : public testing::Test {
protected:
    TelemetryTest() { begin(all_groups()); }
    ~TelemetryTest() override { shutdown(); }

    static options all_groups() {
        options block;
        block.enabled = true;
        block.exporter = "memory";
        block.span_groups = "all";
        block.ignore_environment = true;
        return block;
    }
    static void begin(const options& block) {
        shutdown();
        init(block);
    }
    static void set_group(span_group group, bool on) {
        const std::uint64_t bit = std::uint64_t{1} << static_cast<int>(group);
        const std::uint64_t gates = detail::gates_for_tests();
        detail::set_gates_for_tests(on ? gates | bit : gates & ~bit);
    }

    // Attribute values joined by | -> the point's value, of a histogram its count.
    static std::map<std::string, double> seen(std::string_view instrument) {
        return read(instrument, [](const point& p) {
            if (const auto* h = std::get_if<histogram_value>(&p.value))
                return static_cast<double>(h->count);
            if (const auto* i = std::get_if<std::int64_t>(&p.value)) return static_cast<double>(*i);
            return std::get<double>(p.value);
        });
    }
    // The same with the sum of a histogram.
    static std::map<std::string, double> sums(std::string_view instrument) {
        return read(instrument,
                    [](const point& p) { return std::get<histogram_value>(p.value).sum; });
    }

    complaints said;

private:
    template <class Value>
    static std::map<std::string, double> read(std::string_view instrument, Value value) {
        std::map<std::string, double> result;
        for (const point& p : collect().points) {
            if (p.instrument != instrument) continue;
            std::string key;
            for (const auto& [name, attribute] : p.attributes) {
                if (!key.empty()) key += '|';
                const auto* flag = std::get_if<bool>(&attribute);
                key +=
                    flag != nullptr ? (*flag ? "true" : "false") : std::get<std::string>(attribute);
            }
            result[key] = value(p);
        }
        return result;
    }
};

}  // namespace gym::telemetry::test
