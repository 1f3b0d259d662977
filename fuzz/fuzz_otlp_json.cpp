// SPDX-License-Identifier: Apache-2.0
//
// OTLP JSON from outside, and protobuf from outside: neither may crash, and what was read is
// written as something that reads back the same.
#include "otlp/json.hpp"
#include "otlp/response.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace otlp = gym::telemetry::otlp;

namespace {

void check(const otlp::message_row& type, std::string_view text) {
    const auto protobuf = otlp::from_json(type, text);
    if (!protobuf) return;
    std::string json;
    // Text of a JSON string is UTF-8, so what was read can always be written again.
    if (!otlp::append_json(type, *protobuf, json)) std::abort();
    const auto again = otlp::from_json(type, json);
    std::string json_again;
    if (!again || !otlp::append_json(type, *again, json_again) || json_again != json) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    check(otlp::metrics_request_message, bytes);
    check(otlp::traces_request_message, bytes);
    std::string json;
    static_cast<void>(otlp::append_json(otlp::metrics_request_message, bytes, json));
    json.clear();
    static_cast<void>(otlp::append_json(otlp::traces_request_message, bytes, json));
    static_cast<void>(otlp::read_partial_success(bytes));
    static_cast<void>(otlp::read_error_message(bytes));
    return 0;
}
