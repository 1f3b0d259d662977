// SPDX-License-Identifier: Apache-2.0
//
// What our encoders write, byte for byte against golden files that libprotobuf made of hand-made
// messages (make_golden.cpp).
#include "export/metrics_request.hpp"
#include "export/spans_request.hpp"
#include "golden_text.hpp"
#include "handle/session.hpp"
#include "instruments/catalogue.hpp"
#include "otlp/envelope.hpp"
#include "otlp/json.hpp"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include <gtest/gtest.h>

namespace gym::telemetry::golden {
namespace {

namespace fs = std::filesystem;
using instruments::id_of;

const fs::path folder = GYM_TELEMETRY_SOURCE_DIR "/tests/golden/data";
constexpr std::int64_t start_ns = 1792000000000000000;
constexpr std::int64_t time_ns = 1792000060123456789;
constexpr std::int64_t big = 9007199254740993;  // no double holds it

detail::request_envelope envelope() {
    return {otlp::encode_resource({{"service.name", "gym-\xc3\xbc"},
                                   {"service.instance.id", "golden-1"},
                                   {"process.pid", "42"},
                                   {"nothing", ""}}),
            otlp::encode_scope("gym.telemetry", "1.2.3")};
}

// Records into a generation of the product's table, and what of it is in a request.
class recorded {
public:
    explicit recorded(std::int64_t limit = 2000) {
        settings config;
        config.cardinality_limit = limit;
        source_ = detail::make_generation(config, {});
        block_ = source_->acquire_block();
    }
    ~recorded() { source_->release_block(block_); }

    recorded& add(engine::instrument_id id, std::vector<std::string_view> values,
                  engine::measurement what) {
        source_->record_slow(*block_, id, values.data(), what);
        wanted_.insert(id);
        return *this;
    }
    std::string bytes(engine::temporalities time = {}) {
        engine::reader reader(source_, time);
        engine::snapshot all = reader.collect();
        all.start_time_ns = start_ns;
        all.time_ns = time_ns;
        for (engine::metric_snapshot& metric : all.metrics) {
            metric.start_time_ns = start_ns;
            if (wanted_.contains(metric.id)) continue;
            metric.numbers.clear();
            metric.histograms.clear();
        }
        detail::metrics_request_writer writer(envelope());
        detail::request_summary summary;
        return std::string(writer.write(all, summary));
    }

private:
    std::shared_ptr<engine::generation> source_;
    engine::thread_block* block_;
    std::set<engine::instrument_id> wanted_;
};

constexpr std::string_view yes("\1", 1);
constexpr std::string_view no("\0", 1);

std::string cumulative() {
    return recorded()
        .add(id_of("gym.sandbox.active"),
             {"b\xc3\xb6x \"1\"\n\\ \x01 \xe2\x82\xac \xf0\x9f\x90\xb3"}, {-3})
        .add(id_of("gym.sandbox.active"), {""}, {big})
        .add(id_of("gym.server.startup_stage_duration_ms"), {"load_config", "math", "", no},
             {.real = 250})
        .add(id_of("gym.server.startup_stage_duration_ms"), {"load_config", "math", "", no},
             {.real = 1234.5})
        .add(id_of("gym.server.startup_stage_duration_ms"),
             {"serve", "math", "resources_servers", yes}, {.real = 1e300})
        .add(id_of("gym.rollout.completed_total"), {"scored", "env", "", "", ""}, {1})
        .add(id_of("gym.rollout.completed_total"),
             {"failed", "env", "agent", "sandbox:oom", "MemoryError"}, {2})
        .add(id_of("gym.rollout.rewarded_total"), {"full", "env", no}, {1})
        .add(id_of("gym.rollout.rewarded_total"), {"zero", "env", yes}, {1})
        .add(id_of("gym.verify.success_rate"), {}, {1})
        .add(id_of("gym.verify.success_rate"), {}, {0})
        .add(id_of("gym.servers.active"), {}, {.real = 4})
        .bytes();
}

std::string delta() {
    return recorded()
        .add(id_of("gym.sandbox.active"), {"docker"}, {1})
        .add(id_of("gym.sandbox.active"), {"docker"}, {-1})
        .add(id_of("gym.sandbox.exec_duration_ms"), {"docker"}, {.real = 0})
        .add(id_of("gym.sandbox.exec_duration_ms"), {"docker"}, {.real = 250})
        .add(id_of("gym.sandbox.exec_duration_ms"), {"docker"}, {.real = 250.25})
        .add(id_of("gym.sandbox.create_retry_total"), {"docker"}, {7})
        .bytes({.counter = temporality::delta, .histogram = temporality::delta});
}

std::string overflow() {
    const auto retries = id_of("gym.sandbox.create_retry_total");
    return recorded(1)
        .add(retries, {"first"}, {1})
        .add(retries, {"second"}, {1})
        .add(retries, {"third"}, {1})
        .bytes();
}

std::string special_values() {
    const auto gauge = id_of("gym.telemetry.export_last_success_seconds");
    using limits = std::numeric_limits<double>;
    return recorded()
        .add(gauge, {"nan"}, {.real = limits::quiet_NaN()})
        .add(gauge, {"inf"}, {.real = limits::infinity()})
        .add(gauge, {"-inf"}, {.real = -limits::infinity()})
        .add(gauge, {"-0"}, {.real = -0.0})
        .add(gauge, {"least"}, {.real = limits::denorm_min()})
        .bytes();
}

std::string spans() {
    const trace_id trace{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255}};
    const finished_span full{.name = "gym.server.startup",
                             .kind = span_kind::server,
                             .context = {trace, {{17, 18, 19, 20, 21, 22, 23, 24}}},
                             .parent = {{0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7}},
                             .start_ns = start_ns,
                             .end_ns = start_ns + 1,
                             .attributes = {{"text", std::string("\xe2\x82\xac \"\\")},
                                            {"empty", std::string()},
                                            {"yes", true},
                                            {"no", false},
                                            {"integer", -big},
                                            {"real", 0.1},
                                            {"infinite", std::numeric_limits<double>::infinity()}},
                             .status = span_status::error,
                             .status_message = "because"};
    const finished_span bare{.name = "bare",
                             .context = {trace, {{49, 50, 51, 52, 53, 54, 55, 56}}},
                             .start_ns = 1,
                             .end_ns = 2};
    const finished_span both[] = {full, bare};
    return detail::write_spans_request(envelope(), both);
}

const std::map<std::string, std::function<std::string()>> cases = {
    {"cumulative", cumulative},         {"delta", delta}, {"overflow", overflow},
    {"special_values", special_values}, {"spans", spans},
};

std::string our_json(const std::string& name, const std::string& protobuf) {
    std::string json;
    const auto& type =
        name == "spans" ? otlp::traces_request_message : otlp::metrics_request_message;
    EXPECT_TRUE(otlp::append_json(type, protobuf, json));
    return json + '\n';
}

// Where two texts part; empty when they are the same. As a failure says it, bytes would not.
std::string difference(const std::string& golden, const std::string& ours) {
    if (golden == ours) return {};
    const auto [at, end] = std::mismatch(golden.begin(), golden.end(), ours.begin(), ours.end());
    return "byte " + std::to_string(at - golden.begin()) + " of " + std::to_string(golden.size()) +
           " (ours: " + std::to_string(ours.size()) + ")";
}

// The same number may be spelt 300000 and 3e+05: outside of texts each is spelt in one way.
std::string with_numbers_alike(const std::string& json) {
    std::string result;
    bool in_text = false;
    for (std::size_t at = 0; at < json.size();) {
        const char c = json[at];
        if (!in_text && (c == '-' || (c >= '0' && c <= '9'))) {
            char* end = nullptr;
            char spelt[32];
            std::snprintf(spelt, sizeof spelt, "%.17g", std::strtod(&json[at], &end));
            result += spelt;
            at = static_cast<std::size_t>(end - json.data());
            continue;
        }
        if (in_text && c == '\\') result += json[at++];
        if (c == '"') in_text = !in_text;
        result += json[at++];
    }
    return result;
}

TEST(Golden, OurBytesAreLibprotobufs) {
    for (const auto& [name, encode] : cases)
        EXPECT_EQ(difference(read_file(folder / (name + ".pb")), encode()), "") << name;
}

TEST(Golden, OurJsonIsLibprotobufs) {
    for (const auto& [name, encode] : cases)
        EXPECT_EQ(with_numbers_alike(read_file(folder / (name + ".json"))),
                  with_numbers_alike(our_json(name, encode())))
            << name;
}

// Nobody edited what libprotobuf made, or changed a message without ./dev golden.
TEST(Golden, FilesAreWhatLibprotobufMakesOfTheHandMadeMessages) {
    for (const auto& [name, encode] : cases) {
        const auto message = read_message(folder / (name + ".textproto"));
        ASSERT_NE(message, nullptr) << name;
        EXPECT_EQ(difference(message->SerializeAsString(), read_file(folder / (name + ".pb"))), "")
            << name;
        EXPECT_EQ(json_of(*message) + '\n', read_file(folder / (name + ".json"))) << name;
    }
}

// Every bit of every file counts.
TEST(Golden, TamperedFileIsNoticed) {
    for (const auto& [name, encode] : cases) {
        const std::string ours = encode();
        std::string golden = read_file(folder / (name + ".pb"));
        ASSERT_FALSE(golden.empty());
        for (std::size_t at = 0; at < golden.size(); at += 7) {
            golden[at] = static_cast<char>(golden[at] ^ 1);
            EXPECT_NE(difference(golden, ours), "") << name << ' ' << at;
            golden[at] = static_cast<char>(golden[at] ^ 1);
        }
        EXPECT_NE(difference(golden.substr(1), ours), "");
        EXPECT_NE(difference(golden + 'x', ours), "");
    }
}

void note_fields(const google::protobuf::Message& message, std::set<std::string>& to) {
    std::vector<const google::protobuf::FieldDescriptor*> present;
    const auto* reflection = message.GetReflection();
    reflection->ListFields(message, &present);
    for (const auto* field : present) {
        to.insert(std::string(field->containing_type()->name()) + '.' + std::string(field->name()));
        if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
        if (!field->is_repeated()) note_fields(reflection->GetMessage(message, field), to);
        for (int i = 0; field->is_repeated() && i < reflection->FieldSize(message, field); ++i)
            note_fields(reflection->GetRepeatedMessage(message, field, i), to);
    }
}

TEST(Golden, SetHoldsEveryKindOfMessage) {
    std::set<std::string> fields;
    std::set<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        files.insert(entry.path().filename());
        if (entry.path().extension() == ".textproto")
            note_fields(*read_message(entry.path()), fields);
    }
    std::set<std::string> expected;
    for (const auto& [name, encode] : cases)
        for (const char* extension : {".textproto", ".pb", ".json"})
            expected.insert(name + extension);
    EXPECT_EQ(files, expected) << "a file without a case, or a case without its files";
    // All that we ever set (export_test's SetsTheFieldsOfOtlpButForTheseFew says the rest).
    for (const char* field : {"Resource.attributes",
                              "InstrumentationScope.name",
                              "InstrumentationScope.version",
                              "Metric.name",
                              "Metric.description",
                              "Metric.unit",
                              "Metric.gauge",
                              "Metric.sum",
                              "Metric.histogram",
                              "Sum.aggregation_temporality",
                              "Sum.is_monotonic",
                              "Histogram.aggregation_temporality",
                              "NumberDataPoint.attributes",
                              "NumberDataPoint.start_time_unix_nano",
                              "NumberDataPoint.time_unix_nano",
                              "NumberDataPoint.as_int",
                              "NumberDataPoint.as_double",
                              "HistogramDataPoint.count",
                              "HistogramDataPoint.sum",
                              "HistogramDataPoint.bucket_counts",
                              "HistogramDataPoint.explicit_bounds",
                              "HistogramDataPoint.min",
                              "HistogramDataPoint.max",
                              "AnyValue.string_value",
                              "AnyValue.bool_value",
                              "AnyValue.int_value",
                              "AnyValue.double_value",
                              "Span.trace_id",
                              "Span.span_id",
                              "Span.parent_span_id",
                              "Span.flags",
                              "Span.name",
                              "Span.kind",
                              "Span.start_time_unix_nano",
                              "Span.end_time_unix_nano",
                              "Span.attributes",
                              "Span.status",
                              "Status.message",
                              "Status.code"})
        EXPECT_TRUE(fields.contains(field)) << field;
}

}  // namespace
}  // namespace gym::telemetry::golden
