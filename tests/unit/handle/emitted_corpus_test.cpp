// SPDX-License-Identifier: Apache-2.0
//
// Replays the kept inputs of fuzz_emitted in every build.
#include "outside_bytes.hpp"

#include <gtest/gtest.h>

namespace gym::telemetry::test {
namespace {

TEST(EmittedCorpus, AnyBytesAreReadAndSaidAgain) {
    const file_of_bytes file;
    int with_records = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(GYM_TELEMETRY_SOURCE_DIR "/fuzz/corpus/emitted")) {
        SCOPED_TRACE(entry.path());
        std::ifstream in(entry.path(), std::ios::binary);
        with_records +=
            check_emitted(file, std::string(std::istreambuf_iterator<char>(in), {})) > 0;
    }
    EXPECT_GE(with_records, 7);
}

}  // namespace
}  // namespace gym::telemetry::test
