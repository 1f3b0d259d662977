// SPDX-License-Identifier: Apache-2.0
//
// The fake collector of a case, as `given.collector` describes it.
#pragma once

#include "case_file.hpp"
#include "fake_collector.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace gym::telemetry::cases {

class case_collector {
public:
    explicit case_collector(const case_file& c);

    std::string url() const { return main_.url(); }
    // To be called now and then: opens the port when its time has come.
    void tick();

    test::fake_collector& requests() { return main_; }
    // What the server behind `location_elsewhere` got.
    std::size_t requests_elsewhere() const { return elsewhere_.attempts(); }
    // Exports that were answered.
    std::int64_t answered() const;

private:
    std::vector<test::fake_response> responses_of(const json_value& collector);
    test::fake_response response_of(const json_value& from);

    test::fake_collector elsewhere_;
    test::fake_collector main_;
    std::optional<std::chrono::steady_clock::time_point> opens_at_;
};

}  // namespace gym::telemetry::cases
