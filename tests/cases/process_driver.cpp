// SPDX-License-Identifier: Apache-2.0
//
// Driver `process`: a child program and a fake collector.
#include "base/utf8.hpp"
#include "drivers.hpp"
#include "process_run.hpp"
#include "recorder_calls.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <gym/telemetry/constants.hpp>

#include <map>
#include <set>

namespace gym::telemetry::cases {

namespace {

// The last value of each series of an instrument, by identity and provider.
std::map<std::pair<std::string, std::string>, const received_point*> last_points(
    const received_data& data, std::string_view instrument) {
    std::map<std::pair<std::string, std::string>, const received_point*> to;
    for (const received_point& p : data.points)
        if (p.instrument == instrument) to[{p.identity, p.series()}] = &p;
    return to;
}

void check_received_series(const process_result& r, const json_value& expected) {
    std::multiset<std::pair<std::string, double>> actual, wanted;
    for (const auto& [key, p] : last_points(r.received, sandbox_create_retry_instrument)) {
        const auto provider = p->attributes.find(std::string(sandbox_provider_attribute));
        actual.emplace(provider == p->attributes.end() ? "" : provider->second, p->value);
    }
    for (const json_value& series : expected.items)
        wanted.emplace(text_of(*series.find("provider")), number_of(*series.find("value")));
    std::string shown;
    for (const auto& [provider, value] : actual)
        shown += " " + json_text(provider) + "=" + std::to_string(value);
    require(actual == wanted, "received are" + shown);
}

void check_received(const process_result& r, const json_value& expected) {
    const received_point* only = nullptr;
    for (const received_point& p : r.received.points) {
        if (!p.is_histogram) continue;
        require(only == nullptr || only->series() == p.series(), "several histograms came");
        only = &p;
    }
    require(only != nullptr, "no histogram came");
    const auto same = [&](const char* key, const std::vector<double>& actual) {
        std::vector<double> wanted;
        for (const json_value& item : expected.find(key)->items) wanted.push_back(number_of(item));
        require(actual == wanted, std::string(key) + " differ");
    };
    same("explicit_bounds", only->bounds);
    same("bucket_counts", only->buckets);
}

// Series that the calls record, by what tells them apart.
void add_recorded(const std::vector<call>& calls, std::set<std::string>& to) {
    for (const call& f : calls) {
        for (const char* inner : {"child", "each", "between"})
            if (const json_value* list = f.find(inner)) add_recorded(calls_of(*list), to);
        if (instrument_of(f.fn).empty() && f.find("provider") == nullptr) continue;
        std::string key(instrument_of(f.fn));
        for (const auto& [name, value] : f.args.members) {
            if (!is_text_form(value) || name == "snapshot") continue;
            std::array<char, detail::attribute_size_max> buffer;
            const std::string text = text_of(value);
            (key += '\0') += name;
            (key += '\0') += detail::normalize_text(text, buffer);
        }
        to.insert(key);
    }
}

void check_batch(const case_file& c, const process_result& r, bool lost) {
    std::set<std::string> recorded, received;
    add_recorded(c.calls, recorded);
    for (const received_point& p : r.received.points) received.insert(p.series());
    const bool is_lost = received.size() < recorded.size();
    require(is_lost == lost, std::to_string(received.size()) + " of " +
                                 std::to_string(recorded.size()) + " series came");
}

}  // namespace

void play_process(const case_file& c) {
    if (c.given_text("telemetry") == "meter_raises")
        throw skip("recording into a foreign meter needs the bridge");
    const process_result r = run_process(c, {{GYM_CASES_CHILD}, {}}, std::chrono::seconds(60));
    for (const auto& [key, value] : c.expect.members) {
        if (key == "received_series")
            check_received_series(r, value);
        else if (key == "received")
            check_received(r, value);
        else if (key == "batch_lost")
            check_batch(c, r, value.flag);
        else if (key == "stderr")
            require(r.err == text_of(value), "stderr is " + json_text(r.err.substr(0, 300)));
        else if (key != "properties" && key != "note")
            throw failure("expectation not checked: " + key);
    }
    check_process_properties(c, r);
}

}  // namespace gym::telemetry::cases
