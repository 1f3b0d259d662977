// SPDX-License-Identifier: Apache-2.0
#include "engine/reader.hpp"
#include "instruments_fixture.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gym::telemetry {
namespace {

using Recorders = InstrumentsTest;
using series = std::map<std::string, double>;

// A thread's cache compares the first value's length with the one used last, also when there is
// none.
TEST_F(Recorders, AFirstValueOfAnyLengthIsNoSetUsedLast) {
    for (const std::size_t size : {0u, 1024u, 1025u, 0xfffeu, 0xffffu, 0x10000u}) {
        begin();
        const std::string text(size, 'x');
        record_sandbox_create_retry(text);
        record_rollout_completed(text, "env");
        const std::string kept = text.substr(0, 1024);
        EXPECT_EQ(seen(sandbox_create_retry_instrument), (series{{kept, 1}})) << size;
        EXPECT_EQ(seen(rollout_completed_instrument), (series{{kept + "|env|||", 1}})) << size;
    }
}

// A thread's cache hashes only the values that changed since the record before.
TEST_F(Recorders, WhicheverValuesChangeEachSetIsItsOwnSeries) {
    const std::vector<std::string> outcomes = {"scored", "failed", "omitted"};
    const std::vector<std::string> names = {
        "", "a", "b", "env-0001", "env-0002", std::string(40, 'n'), std::string(41, 'n')};
    const std::vector<std::string> kinds = {"agent_timeout", "judge_failed", "a:b", "a:c"};
    const std::vector<std::string> types = {"ValueError", "ValueErrer", "T", std::string(128, 'T')};
    std::mt19937 random(1);
    const auto pick = [&](const auto& from) { return from[random() % from.size()]; };
    series wanted;
    std::string outcome = "scored", name = "a", why = "c", kind = "a:b", type = "T";
    for (int i = 0; i < 20000; ++i) {
        // Any number of them at once, mostly one or none.
        for (int changes = static_cast<int>(random() % 8) - 3; changes > 0; --changes) {
            switch (random() % 5) {
                case 0:
                    outcome = pick(outcomes);
                    break;
                case 1:
                    name = pick(names);
                    break;
                case 2:
                    why = pick(names);
                    break;
                case 3:
                    kind = pick(kinds);
                    break;
                default:
                    type = pick(types);
                    break;
            }
        }
        record_rollout_completed(outcome, name, {why, kind, type});
        const bool failed = !why.empty();
        ++wanted[outcome + '|' + name + '|' + why + '|' + (failed ? kind : "") + '|' +
                 (failed ? type : "")];
    }
    EXPECT_EQ(wanted.size(), seen(rollout_completed_instrument).size());
    EXPECT_EQ(seen(rollout_completed_instrument), wanted);
}

TEST_F(Recorders, EachOneRecordsToItsInstrument) {
    record_sandbox_active(2, "docker");
    record_sandbox_startup(900, "docker");
    record_sandbox_exec_duration(std::chrono::milliseconds(12), "docker");
    record_sandbox_create_retry("docker");
    record_server_startup_stage(5, "load_config", "srv", "", true);
    record_http_connection_pool_queue_duration(30, queue_constraint::per_host, queue_outcome::ok,
                                               "model");
    record_http_connection_pool_connect_duration(3, connect_outcome::failed, "model");
    record_rollout_completed(outcome::failed, "env", {"agent_run_error", "tb4:gone", "Boom"});
    record_rollout_reward(0.5, "env", false);
    record_rollout_health(verdict::unhealthy, outcome::scored, {"a_check", "a_check", "b"});
    record_rollout_duration(1);
    record_verify(1, true);
    record_active_servers(3);
    record_server_request(1);
    EXPECT_EQ(seen(sandbox_active_instrument), (series{{"docker", 2}}));
    EXPECT_EQ(seen(sandbox_startup_instrument), (series{{"docker", 1}}));
    EXPECT_EQ(seen(sandbox_exec_instrument), (series{{"docker", 1}}));
    EXPECT_EQ(seen(sandbox_create_retry_instrument), (series{{"docker", 1}}));
    EXPECT_EQ(seen(server_startup_stage_instrument), (series{{"load_config|srv||true", 1}}));
    EXPECT_EQ(seen(http_connection_pool_queue_duration_instrument),
              (series{{"per_host|ok|model", 1}}));
    EXPECT_EQ(seen(http_connection_pool_connect_duration_instrument),
              (series{{"failed|model", 1}}));
    EXPECT_EQ(seen(rollout_completed_instrument),
              (series{{"failed|env|agent_run_error|tb4:gone|Boom", 1}}));
    EXPECT_EQ(seen(rollout_rewarded_instrument), (series{{"partial|env|false", 1}}));
    EXPECT_EQ(seen(rollout_health_verdict_instrument), (series{{"unhealthy|scored", 1}}));
    EXPECT_EQ(seen(rollout_health_flagged_instrument),
              (series{{"a_check|scored", 1}, {"b|scored", 1}}));
    EXPECT_EQ(seen(rollout_duration_instrument), (series{{"", 1}}));
    EXPECT_EQ(seen(verify_duration_instrument), (series{{"", 1}}));
    EXPECT_EQ(seen(verify_success_rate_instrument), (series{{"", 1}}));
    EXPECT_EQ(seen(servers_active_instrument), (series{{"", 3}}));
    EXPECT_EQ(seen(server_request_duration_instrument), (series{{"", 1}}));
}

TEST_F(Recorders, DropAndCountDurationsThatAreNone) {
    for (const double value : {std::nan(""), std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(), -1.0, -5e-324})
        record_sandbox_startup(value, "p");
    EXPECT_TRUE(seen(sandbox_startup_instrument).empty());
    EXPECT_EQ(seen("gym.telemetry.dropped_total"),
              (series{{"gym.sandbox.startup_duration_ms|negative", 2},
                      {"gym.sandbox.startup_duration_ms|not_a_number", 3}}));
}

TEST_F(Recorders, RewardRangesMeetAtTheirEdges) {
    for (const double reward : {-1e308, -5e-324, -0.0, 0.0, 5e-324, 0.9999999999999998, 1.0,
                                1.0000000000000002, std::numeric_limits<double>::infinity()})
        record_rollout_reward(reward, "e", false);
    record_rollout_reward(std::nan(""), "e", false);
    EXPECT_EQ(seen(rollout_rewarded_instrument), (series{{"negative|e|false", 2},
                                                         {"zero|e|false", 2},
                                                         {"partial|e|false", 2},
                                                         {"full|e|false", 1},
                                                         {"above_one|e|false", 2}}));
    EXPECT_EQ(seen("gym.telemetry.dropped_total"),
              (series{{"gym.rollout.rewarded_total|not_a_number", 1}}));
}

TEST_F(Recorders, FailureFieldsFollowTheClass) {
    record_rollout_completed("failed", "e", {.failure_kind = "shutdown", .failure_type = "T"});
    record_rollout_completed("failed", "e", {.failure_class = "two words"});
    record_rollout_completed("failed", "e", {.failure_class = "c", .failure_kind = "Boom at 7"});
    record_rollout_completed("failed", "e", {.failure_class = "c", .failure_kind = "Boom at 8"});
    record_rollout_completed("failed", "e", {.failure_class = std::string(129, 'x')});
    EXPECT_EQ(seen(rollout_completed_instrument), (series{{"failed|e|||", 1},
                                                          {"failed|e|unregistered||", 2},
                                                          {"failed|e|c|unregistered|", 2}}));
}

TEST_F(Recorders, NamesHaveNoWhiteSpaceOrControlCharacters) {
    for (const std::string_view bad :
         {"a b", "a\tb", "a\n", "\x7f", "a\u0085", "a\u00a0b", "\u1680", "a\u2003", "\u2028",
          "\u202f", "\u205f", "a\u3000b", "\xff"})
        EXPECT_EQ(instruments::name_label(bad), "unregistered") << bad;
    for (const std::string_view good :
         {"", "ClientResponseError", "a.b:c-d", "Ünïcode", "\u00ff", "\u200b", "\u3001"})
        EXPECT_EQ(instruments::name_label(good), good);
}

TEST_F(Recorders, HealthCheckIdsThatAreNoneAreDroppedAndCounted) {
    record_rollout_health("unhealthy", "scored", {"Some Free Text", "", "9a", "ok_1", "a-b"});
    EXPECT_EQ(seen(rollout_health_flagged_instrument), (series{{"ok_1|scored", 1}}));
    EXPECT_EQ(seen("gym.telemetry.dropped_total"),
              (series{{"gym.rollout.health_flagged_total|bad_name", 4}}));
}

TEST_F(Recorders, UnknownValuesAreRecordedAndCountedOnceForEachArgument) {
    record_rollout_completed("superseded", "e");
    record_rollout_health("odd", "omitted", {"a", "b"});
    EXPECT_EQ(seen(rollout_completed_instrument), (series{{"superseded|e|||", 1}}));
    EXPECT_EQ(seen("gym.telemetry.unknown_value_total"),
              (series{{"nemo.gym.rollout.outcome", 2}, {"nemo.gym.health.verdict", 1}}));
}

TEST_F(Recorders, TextIsValidUtf8OfAtMost1024Bytes) {
    record_sandbox_create_retry("a\xff");
    std::string cut(1023, 'x');
    cut.append("\u00e9");
    record_sandbox_create_retry(cut);
    record_sandbox_create_retry(std::string_view("a\0b", 3));
    EXPECT_EQ(seen(sandbox_create_retry_instrument),
              (series{{"a\ufffd", 1}, {std::string(1023, 'x'), 1}, {std::string("a\0b", 3), 1}}));
}

TEST_F(Recorders, VerifyCountsItsResultThoughItsDurationIsNone) {
    record_verify(std::nan(""), true);
    record_verify(1, false);
    EXPECT_EQ(seen(verify_success_rate_instrument), (series{{"", 0.5}}));
    EXPECT_EQ(seen(verify_duration_instrument), (series{{"", 1}}));
}

}  // namespace
}  // namespace gym::telemetry
