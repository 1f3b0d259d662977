// SPDX-License-Identifier: Apache-2.0
//
// What a receiver answers.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gym::telemetry::otlp {

struct partial_success {
    std::int64_t rejected = 0;  // points or spans; never negative
    std::string message;
};

// The partial success in the body of a 200, protobuf. None when there is none, and when the body
// cannot be read: then the status alone decides.
std::optional<partial_success> read_partial_success(std::string_view body);

// The message of a google.rpc.Status, which error answers hold by the specification; empty when the
// body is none.
std::string read_error_message(std::string_view body);

// The delay of a google.rpc.RetryInfo among the details of a google.rpc.Status: how a gRPC receiver
// says when to come back. Never negative.
std::optional<std::chrono::milliseconds> read_retry_delay(std::string_view status);

// Text of a stranger: made valid, cut, and without control characters before anybody sees it.
std::string presentable(std::string_view text);

}  // namespace gym::telemetry::otlp
