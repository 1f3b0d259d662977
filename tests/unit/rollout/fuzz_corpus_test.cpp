// SPDX-License-Identifier: Apache-2.0
//
// Replays the kept corpus of the row fuzzer.
#include "../../../fuzz/fuzz_rollout_row.cpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace {

TEST(FuzzCorpus, RolloutRow) {
    int files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(GYM_TELEMETRY_SOURCE_DIR "/fuzz/corpus/rollout_row")) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string text((std::istreambuf_iterator<char>(file)), {});
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
        ++files;
    }
    EXPECT_GE(files, 20);
}

}  // namespace
