// SPDX-License-Identifier: Apache-2.0
//
// Plays pool_cases.jsonl, facts about what a connection pool must record, on the virtual clock with
// the real recorders. Form of a case: one JSON object a line with `given`, `calls` and `expect`.
#include "http/virtual_pool.hpp"

#include <gym/telemetry/collection.hpp>
#include <gym/telemetry/lifecycle.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>

#include <simdjson.h>

namespace gym::telemetry::http {
namespace {

using object = simdjson::dom::object;
using element = simdjson::dom::element;

std::optional<element> field(const object& from, const char* name) {
    element found;
    if (from[name].get(found) != simdjson::SUCCESS) return std::nullopt;
    return found;
}

double number(const element& value) {
    double result = 0;
    if (value.get(result) != simdjson::SUCCESS) throw std::runtime_error("not a number");
    return result;
}

std::string text(const element& value) {
    return std::string(std::string_view(value));
}

void play_acquire(virtual_pool& pool, const object& args) {
    virtual_acquire how;
    how.id = std::int64_t(*field(args, "id"));
    how.host = text(*field(args, "host"));
    if (const auto server = field(args, "server"); server && !server->is_null())
        how.server = text(*server);
    if (const auto timeout = field(args, "timeout_ms")) how.timeout_ms = number(*timeout);
    if (const auto connect = field(args, "connect")) how.connect_fails = text(*connect) == "fails";
    if (const auto connect = field(args, "connect_ms")) how.connect_ms = number(*connect);
    pool.acquire(how);
}

void play(virtual_pool& pool, std::string_view fn, const object& args) {
    const auto id = [&] { return std::int64_t(*field(args, "id")); };
    if (fn == "acquire") return play_acquire(pool, args);
    if (fn == "release") {
        const auto alive = field(args, "alive");
        return pool.release(id(), !alive || bool(*alive));
    }
    if (fn == "cancel") return pool.cancel(id());
    if (fn == "advance_ms") return pool.advance_ms(number(*field(args, "ms")));
    if (fn == "redirect") {
        const auto host = field(args, "host");
        return pool.redirect(id(), host ? std::optional(text(*host)) : std::nullopt);
    }
    if (fn == "spurious_wakeup") return pool.spurious_wakeup(id());
    if (fn == "replace_connector") return pool.replace_connector();
    if (fn == "set_metrics_enabled") return pool.set_metrics_enabled(bool(*field(args, "on")));
    throw std::runtime_error("unknown call " + std::string(fn));
}

virtual_pool_options options_of(const object& given) {
    virtual_pool_options options;
    if (const auto limit = field(given, "limit")) options.limits.total = std::int64_t(*limit);
    if (const auto limit = field(given, "limit_per_host"))
        options.limits.per_host = std::int64_t(*limit);
    options.introspection_raises = field(given, "constraint_introspection").has_value();
    options.recorder_raises = field(given, "recorder").has_value();
    if (const auto on = field(given, "metrics_enabled")) options.metrics_enabled = bool(*on);
    if (const auto ambient = field(given, "ambient_server"))
        options.ambient_server = text(*ambient);
    return options;
}

std::string key_of(const std::string& instrument,
                   std::vector<std::pair<std::string, std::string>> attributes) {
    std::sort(attributes.begin(), attributes.end());
    std::string key = instrument;
    for (const auto& [name, value] : attributes) key += "|" + name + "=" + value;
    return key;
}

std::map<std::string, point> collected() {
    std::map<std::string, point> points;
    for (point& each : collect().points) {
        if (each.instrument.starts_with("gym.telemetry.")) continue;
        std::vector<std::pair<std::string, std::string>> attributes;
        for (const auto& [name, value] : each.attributes)
            attributes.emplace_back(name, std::get<std::string>(value));
        std::string key = key_of(each.instrument, std::move(attributes));
        EXPECT_TRUE(points.emplace(key, std::move(each)).second) << "twice: " << key;
    }
    return points;
}

void check_histogram(const object& wanted, const histogram_value& seen, double tolerance) {
    if (const auto count = field(wanted, "count")) {
        EXPECT_EQ(seen.count, std::uint64_t(std::int64_t(*count)));
    }
    if (const auto sum = field(wanted, "sum")) {
        EXPECT_NEAR(seen.sum, number(*sum), tolerance);
    }
    if (const auto sum = field(wanted, "sum_gt")) {
        EXPECT_GT(seen.sum, number(*sum));
    }
    if (const auto sum = field(wanted, "sum_ge")) {
        EXPECT_GE(seen.sum, number(*sum));
    }
    if (const auto min = field(wanted, "min")) {
        EXPECT_NEAR(seen.min.value(), number(*min), tolerance);
    }
    if (const auto max = field(wanted, "max")) {
        EXPECT_NEAR(seen.max.value(), number(*max), tolerance);
    }
    if (const auto buckets = field(wanted, "bucket_counts")) {
        std::vector<std::uint64_t> counts;
        for (const element each : simdjson::dom::array(*buckets))
            counts.push_back(std::uint64_t(std::int64_t(each)));
        EXPECT_EQ(seen.bucket_counts, counts);
    }
}

void check_points(const object& expect, std::map<std::string, point> seen) {
    const auto tolerance_field = field(expect, "sum_tolerance");
    const double tolerance = tolerance_field ? number(*tolerance_field) : 0;
    for (const element each : simdjson::dom::array(*field(expect, "points"))) {
        const object wanted = each;
        std::vector<std::pair<std::string, std::string>> attributes;
        for (const auto entry : object(*field(wanted, "attributes")))
            attributes.emplace_back(std::string(entry.key), text(entry.value));
        const std::string key = key_of(text(*field(wanted, "instrument")), std::move(attributes));
        SCOPED_TRACE(key);
        const auto found = seen.find(key);
        if (found == seen.end()) {
            ADD_FAILURE() << "no such point";
            continue;
        }
        const point& got = found->second;
        if (const auto value = field(wanted, "value")) {
            EXPECT_EQ(got.kind, instrument_kind::observable_counter);
            EXPECT_EQ(std::get<std::int64_t>(got.value), std::int64_t(*value));
        } else {
            check_histogram(wanted, std::get<histogram_value>(got.value), tolerance);
        }
        seen.erase(found);
    }
    for (const auto& [key, unused] : seen) ADD_FAILURE() << "not expected: " << key;
}

void run_case(const object& what) {
    SCOPED_TRACE(text(*field(what, "id")));
    options block;
    block.enabled = true;
    block.exporter = "memory";
    block.ignore_environment = true;
    init(block);
    {
        virtual_pool pool(options_of(*field(what, "given")));
        for (const element each : simdjson::dom::array(*field(what, "calls"))) {
            const object call = each;
            const auto repeat = field(call, "repeat");
            for (std::int64_t n = repeat ? std::int64_t(*repeat) : 1; n > 0; --n)
                play(pool, std::string_view(*field(call, "fn")), *field(call, "args"));
        }
        const object expect = *field(what, "expect");
        if (field(expect, "points")) check_points(expect, collected());
        if (const auto acquired = field(expect, "acquired")) {
            std::vector<std::int64_t> ids;
            for (const element id : simdjson::dom::array(*acquired)) ids.push_back(id);
            EXPECT_EQ(pool.acquired(), ids);
        }
        if (const auto ambient = field(expect, "ambient_server_after")) {
            EXPECT_EQ(pool.ambient_server(), text(*ambient));
        }
    }
    shutdown();
}

TEST(PoolCases, HoldOnTheVirtualClock) {
    std::ifstream file(GYM_TELEMETRY_SOURCE_DIR "/tests/unit/http/pool_cases.jsonl");
    ASSERT_TRUE(file.is_open());
    simdjson::dom::parser parser;
    int played = 0;
    for (std::string line; std::getline(file, line);) {
        run_case(object(parser.parse(line)));
        ++played;
    }
    EXPECT_GE(played, 20);
}

}  // namespace
}  // namespace gym::telemetry::http
