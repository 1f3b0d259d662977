// SPDX-License-Identifier: Apache-2.0
//
// What the fake collector received, read by libprotobuf.
#pragma once

#include "fake_collector.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gym::telemetry::cases {

struct received_point {
    std::size_t request = 0;  // its index
    std::string identity;     // service.instance.id
    std::string instrument;
    std::map<std::string, std::string> attributes;  // a boolean as true or false
    std::int64_t start_ns = 0;
    std::int64_t time_ns = 0;
    double value = 0;  // of a histogram its count
    bool is_delta = false;
    bool is_histogram = false;
    std::vector<double> bounds{};
    std::vector<double> buckets{};

    // What tells series of one identity apart.
    std::string series() const;
};

struct received_data {
    std::vector<test::received_request> requests;
    std::vector<received_point> points;  // without gym.telemetry.* and the driver's own probe
    // Attributes of each identity's resource.
    std::map<std::string, std::map<std::string, std::string>> resources;
    std::string problem;  // the first thing that is wrong with a request; empty when there is none

    // The total of the README's section on the fake collector, by identity.
    std::map<std::string, double> totals() const;
    double total() const;
};

received_data read_received(std::vector<test::received_request> requests);

}  // namespace gym::telemetry::cases
