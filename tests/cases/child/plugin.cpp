// SPDX-License-Identifier: Apache-2.0
//
// A plug-in that links the library: once the shared one, and in two more builds the whole of it.
// The program that loads it may have telemetry of its own, or none.
#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/recorders.hpp>

extern "C" __attribute__((visibility("default"))) void gym_case_record(const char* provider,
                                                                       long times) {
    gym::telemetry::init();  // from the environment; nothing when it is in force
    for (long i = 0; i < times; ++i) gym::telemetry::record_sandbox_create_retry(provider);
}
