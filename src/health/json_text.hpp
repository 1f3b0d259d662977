// SPDX-License-Identifier: Apache-2.0
//
// Writing JSON as orjson does: escaped are only quotes, backslashes and control characters.
#pragma once

#include "health/conversions.hpp"

#include <string>
#include <string_view>

namespace gym::telemetry::health {

void append_json_string(std::string& out, std::string_view text);
void append_integer(std::string& out, wide_integer value);
std::string integer_text(wide_integer value);

// What orjson writes: -2^63 to 2^64-1. Beyond that a report cannot be written.
bool writable_integer(wide_integer value);

// One object, member by member: json_object(out).text("a", "b").integer("c", 1).close().
class json_object {
public:
    explicit json_object(std::string& out) : out_(out) { out_.push_back('{'); }

    json_object& text(std::string_view key, std::string_view value) {
        name(key);
        append_json_string(out_, value);
        return *this;
    }
    json_object& integer(std::string_view key, wide_integer value) {
        name(key);
        append_integer(out_, value);
        return *this;
    }
    // Anything that is JSON already.
    json_object& raw(std::string_view key, std::string_view json) {
        name(key);
        out_.append(json);
        return *this;
    }
    void close() { out_.push_back('}'); }

private:
    void name(std::string_view key) {
        if (!first_) out_.push_back(',');
        first_ = false;
        out_.push_back('"');
        out_.append(key);
        out_.append("\":");
    }

    std::string& out_;
    bool first_ = true;
};

}  // namespace gym::telemetry::health
