// SPDX-License-Identifier: Apache-2.0
//
// Replays the kept inputs of fuzz_ledger in every build.
#include "outside_bytes.hpp"

#include <map>

#include <gtest/gtest.h>

namespace gym::telemetry::test {
namespace {

TEST(LedgerCorpus, AnyBytesAreALedgerOrNone) {
    const file_of_bytes file;
    std::map<std::string, int> found;
    for (const auto& entry :
         std::filesystem::directory_iterator(GYM_TELEMETRY_SOURCE_DIR "/fuzz/corpus/ledger")) {
        SCOPED_TRACE(entry.path());
        std::ifstream in(entry.path(), std::ios::binary);
        found[entry.path().filename()] =
            check_ledger(file, std::string(std::istreambuf_iterator<char>(in), {}));
    }
    EXPECT_EQ(found.at("held"), 2);
    EXPECT_EQ(found.at("other_magic"), -1);
    EXPECT_EQ(found.at("empty"), -1);
    EXPECT_EQ(found.at("too_long"), -1);
    EXPECT_EQ(found.at("unknown_state"), 1);
}

}  // namespace
}  // namespace gym::telemetry::test
