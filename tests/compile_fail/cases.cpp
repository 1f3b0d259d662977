// SPDX-License-Identifier: Apache-2.0
#include "instruments/record.hpp"

#include <gym/telemetry/telemetry.hpp>

using namespace gym::telemetry;
using namespace gym::telemetry::instruments;
using std::string_view;

void cases() {
    // Each of these compiles; what differs below does not.
    count<id_of("gym.sandbox.create_retry_total")>(string_view("p"));
    record<id_of("gym.sandbox.startup_duration_ms")>(1.0, string_view("p"));
    count<id_of("gym.rollout.rewarded_total")>(string_view("full"), string_view("env"), true);
    auto counter = bind_sandbox_create_retry("p");
    registration mine;

#if defined(CASE_unknown_name)
    count<id_of("gym.sandbox.create_retries_total")>(string_view("p"));
#elif defined(CASE_wrong_kind)
    count<id_of("gym.sandbox.active")>(string_view("p"));
#elif defined(CASE_histogram_as_counter)
    count<id_of("gym.sandbox.startup_duration_ms")>(string_view("p"));
#elif defined(CASE_too_few_values)
    count<id_of("gym.sandbox.create_retry_total")>();
#elif defined(CASE_too_many_values)
    count<id_of("gym.sandbox.create_retry_total")>(string_view("p"), string_view("q"));
#elif defined(CASE_text_for_boolean)
    count<id_of("gym.rollout.rewarded_total")>(string_view("full"), string_view("env"),
                                               string_view("true"));
#elif defined(CASE_boolean_for_text)
    count<id_of("gym.sandbox.create_retry_total")>(true);
#elif defined(CASE_copied_binding)
    auto copy = counter;
#elif defined(CASE_copied_registration)
    auto copy = mine;
#endif
}
