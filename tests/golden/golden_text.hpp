// SPDX-License-Identifier: Apache-2.0
//
// Golden files by libprotobuf: hand-made text, bytes, and JSON as OTLP wants it.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <string>

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>
#include <opentelemetry/proto/collector/metrics/v1/metrics_service.pb.h>
#include <opentelemetry/proto/collector/trace/v1/trace_service.pb.h>

namespace gym::telemetry::golden {

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

// The message that a hand-made text describes; null when it is none.
inline std::unique_ptr<google::protobuf::Message> read_message(const std::filesystem::path& path) {
    namespace collector = opentelemetry::proto::collector;
    const std::string text = read_file(path);
    std::unique_ptr<google::protobuf::Message> made;
    if (text.find("\nresource_spans") != text.npos)
        made = std::make_unique<collector::trace::v1::ExportTraceServiceRequest>();
    else
        made = std::make_unique<collector::metrics::v1::ExportMetricsServiceRequest>();
    if (!google::protobuf::TextFormat::ParseFromString(text, made.get())) return nullptr;
    return made;
}

inline std::string hex_of_base64(const std::string& text) {
    const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string hex;
    unsigned bits = 0;
    int count = 0;
    for (const char c : text) {
        if (c == '=') break;
        bits = bits << 6 | static_cast<unsigned>(alphabet.find(c));
        for (count += 6; count >= 4; count -= 4)
            hex += "0123456789abcdef"[bits >> (count - 4) & 15];
    }
    if (hex.size() % 2 != 0) hex.pop_back();  // the padding's bits
    return hex;
}

// libprotobuf's JSON with the two things that the OTLP specification wants otherwise: numbers for
// enums, and hexadecimal for ids.
inline std::string json_of(const google::protobuf::Message& message) {
    google::protobuf::util::JsonPrintOptions options;
    options.always_print_enums_as_ints = true;
    std::string json;
    if (!google::protobuf::util::MessageToJsonString(message, &json, options).ok()) return {};
    static const std::regex id(R"re("(traceId|spanId|parentSpanId)":"([A-Za-z0-9+/=]*)")re");
    std::string result;
    auto from = json.cbegin();
    for (std::sregex_iterator at(json.begin(), json.end(), id), end; at != end; ++at) {
        result.append(from, json.cbegin() + at->position());
        result += '"' + (*at)[1].str() + "\":\"" + hex_of_base64((*at)[2].str()) + '"';
        from = json.cbegin() + at->position() + at->length();
    }
    return result.append(from, json.cend());
}

}  // namespace gym::telemetry::golden
