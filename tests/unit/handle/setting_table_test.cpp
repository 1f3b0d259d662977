// SPDX-License-Identifier: Apache-2.0
#include "handle/setting_table.hpp"

#include "handle/setting_value.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gym::telemetry::detail {
namespace {

std::string read_file(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <class T>
std::string default_in_page(const T& value) {
    if constexpr (std::is_same_v<T, bool>) return value ? "true" : "false";
    const std::string text = text_of_value(value);
    if (text.empty()) return "none";
    return std::is_same_v<T, std::string> ? "`" + text + "`" : text;
}

TEST(SettingTable, VariablesFollowFromKeys) {
    EXPECT_EQ(variable_of(gym_prefix, "cardinality_limit"), "NEMO_GYM_OTEL_CARDINALITY_LIMIT");
    EXPECT_EQ(variable_of(lens_prefix, "memory_profiling.enabled"),
              "NEMO_LENS_MEMORY_PROFILING_ENABLED");
}

TEST(SettingTable, KeysAreUnique) {
    std::set<std::string_view> keys;
    for_each_setting([&keys](const auto& row) { EXPECT_TRUE(keys.insert(row.key).second); });
}

TEST(SettingTable, ThePageHasEveryRowWithItsDefault) {
    const std::string page = read_file(GYM_TELEMETRY_SOURCE_DIR "/docs/configuration.md");
    ASSERT_FALSE(page.empty());
    for_each_setting([&page](const auto& row) {
        const std::string variable =
            row.variable.empty() ? variable_of("", row.key) : std::string(row.variable);
        const std::string line = "| `" + std::string(row.key) + "` | `" + variable + "` | " +
                                 default_in_page(settings{}.*row.effective) + " | ";
        EXPECT_THAT(page, testing::HasSubstr(line));
    });
}

TEST(SettingValue, TextsAreReadAsTheyAreWritten) {
    for (const double value : {1.0, 0.1, 1e-9, 12345.678}) {
        EXPECT_EQ(value_of_text<double>(text_of_value(value)), value);
    }
    for (const std::int64_t value : {std::int64_t{0}, std::int64_t{7}, setting_integer_max}) {
        EXPECT_EQ(value_of_text<std::int64_t>(text_of_value(value)), value);
    }
    EXPECT_EQ(value_of_text<std::int64_t>(text_of_value(setting_integer_max + 1)), std::nullopt);
    for (const bool value : {true, false}) {
        EXPECT_EQ(value_of_text<bool>(text_of_value(value)), value);
    }
}

TEST(SettingValue, ALongValueIsShownInPart) {
    std::string long_value(199, 'x');
    long_value.append("\xC3\xA9").append(500, 'y');
    EXPECT_EQ(shown(long_value), "'" + long_value.substr(0, 199) + "...'");
    EXPECT_EQ(shown("short"), "'short'");
}

}  // namespace
}  // namespace gym::telemetry::detail
