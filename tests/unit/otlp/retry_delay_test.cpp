// SPDX-License-Identifier: Apache-2.0
#include "otlp/response.hpp"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/duration.pb.h>
#include <gtest/gtest.h>

namespace gym::telemetry::otlp {
namespace {

using std::chrono::milliseconds;

std::string field(int number, const std::string& bytes) {
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

// A google.rpc.Status with one detail; Any and Duration are libprotobuf's.
std::string status_with(const std::string& type, const std::string& value) {
    google::protobuf::Any any;
    any.set_type_url("type.googleapis.com/" + type);
    any.set_value(value);
    return field(2, "slow down") + field(3, any.SerializeAsString());
}
std::string retry_info(std::int64_t seconds, int nanos) {
    google::protobuf::Duration delay;
    delay.set_seconds(seconds);
    delay.set_nanos(nanos);
    return field(1, delay.SerializeAsString());
}

TEST(RetryDelay, IsReadFromTheDetails) {
    EXPECT_EQ(read_retry_delay(status_with("google.rpc.RetryInfo", retry_info(2, 500'000'000))),
              milliseconds(2500));
    EXPECT_EQ(read_retry_delay(field(3, "\x0a\x01x") +
                               status_with("google.rpc.RetryInfo", retry_info(0, 1'000'000))),
              milliseconds(1));
    EXPECT_EQ(read_retry_delay(status_with("google.rpc.RetryInfo", "")), milliseconds(0));
}

TEST(RetryDelay, IsNeverNegativeNorBeyondTheClock) {
    EXPECT_EQ(read_retry_delay(status_with("google.rpc.RetryInfo", retry_info(-5, -1))),
              milliseconds(0));
    EXPECT_GT(*read_retry_delay(status_with("google.rpc.RetryInfo", retry_info(INT64_MAX, 0))),
              std::chrono::hours(24 * 365 * 99));
}

TEST(RetryDelay, OtherDetailsAndGarbageAreNone) {
    EXPECT_FALSE(read_retry_delay(""));
    EXPECT_FALSE(read_retry_delay("\xff\xff\xff"));
    EXPECT_FALSE(read_retry_delay(status_with("google.rpc.ErrorInfo", retry_info(2, 0))));
    EXPECT_FALSE(read_retry_delay(status_with("google.rpc.RetryInfo", "\x0a\x05")));
}

}  // namespace
}  // namespace gym::telemetry::otlp
