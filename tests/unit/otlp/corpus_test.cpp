// SPDX-License-Identifier: Apache-2.0
//
// Replays the kept inputs of fuzz_otlp_json in every build.
#include "otlp/json.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace gym::telemetry::otlp {
namespace {

TEST(OtlpCorpus, ReadsBackWhatItWrites) {
    int read = 0;
    const std::filesystem::path folder = GYM_TELEMETRY_SOURCE_DIR "/fuzz/corpus/otlp_json";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        SCOPED_TRACE(entry.path());
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(file), {});
        for (const message_row* type : {&metrics_request_message, &traces_request_message}) {
            const auto protobuf = from_json(*type, text);
            if (!protobuf || protobuf->empty()) continue;
            std::string json;
            ASSERT_TRUE(append_json(*type, *protobuf, json));
            const auto again = from_json(*type, json);
            ASSERT_TRUE(again);
            std::string json_again;
            ASSERT_TRUE(append_json(*type, *again, json_again));
            EXPECT_EQ(json, json_again);
            ++read;
        }
    }
    EXPECT_GE(read, 2);
}

}  // namespace
}  // namespace gym::telemetry::otlp
