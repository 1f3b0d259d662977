// SPDX-License-Identifier: Apache-2.0
//
// The state of one case of the driver `inproc` while it is played, and its kinds of calls.
#pragma once

#include "case_file.hpp"
#include "case_telemetry.hpp"
#include "connect_counter.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::cases {

// What was recorded into one meter, and how many calls could have been.
struct meter_total {
    double total = 0;
    double possible = 0;
};

class inproc_play {
public:
    explicit inproc_play(const case_file& played)
        : c(played), telemetry(played), counter(std::make_shared<connect_counter>()) {}

    // Throws failure for a call that this driver does not play.
    void play(const call& f);
    void play(const std::vector<call>& calls);

    const case_file& c;
    case_telemetry telemetry;
    std::shared_ptr<connect_counter> counter;
    double growth_mib = 0;

    // Of record_loop.
    double ns_per_call = 0;
    std::uint64_t loop_allocations = 0;
    // Of the calls that initialise again.
    std::vector<meter_total> meters;
    double calls_after_last_init = 0;
    int late_callbacks = 0;
    std::size_t live_cells = 0;

private:
    bool play_simple(const call& f);
    bool play_threads(const call& f);

    void many(const call& f);
    void record_loop(const call& f);
    void reinit_loop(const call& f);
    void register_in_scope(const call& f);
    void register_destroy_loop(const call& f);

    void from_threads(const call& f);
    void from_short_threads(const call& f);
    void updown_pairs(const call& f);
    void histogram_from_threads(const call& f);
    void with_reinit(const call& f);
};

// Throws failure when a property does not hold.
void check_properties(inproc_play& played, std::string_view instrument);

}  // namespace gym::telemetry::cases
