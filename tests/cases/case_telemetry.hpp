// SPDX-License-Identifier: Apache-2.0
//
// Telemetry as the drivers that play in one process set it up: with readers in memory, and with
// what `given` says.
#pragma once

#include "case_file.hpp"
#include "observations.hpp"
#include "raising_meter.hpp"

#include <gym/telemetry/collection.hpp>
#include <gym/telemetry/options.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gym::telemetry::cases {

class case_telemetry {
public:
    // Initialises, unless `given.telemetry` says otherwise. Throws skip for what needs the bridge.
    explicit case_telemetry(const case_file& c);
    ~case_telemetry();
    case_telemetry(const case_telemetry&) = delete;
    case_telemetry& operator=(const case_telemetry&) = delete;

    void begin();
    // Shuts down; the points of the first reader's last collection.
    std::vector<point> end();
    // Any thread.
    std::vector<point> collect(int reader = 0);
    // Every reader collects once.
    void collect_all();

    // Ends what is in force and begins anew. The page can be read both ways: the name is of what
    // begins here, or of what ends here.
    void install_meter(const std::string& name);
    void keep(const std::string& label, std::vector<point> points);
    // The last collections by meter, in both readings.
    const std::map<std::string, std::vector<point>>& meters_begun();
    const std::map<std::string, std::vector<point>>& meters_ended() const { return ended_; }

    observations& seen() { return seen_; }
    bool is_delta() const { return options_.memory_temporality == temporality::delta; }
    // What the gate of a span group answers from now on.
    void set_group(const std::string& group, bool on);
    void set_metrics(bool on);

private:
    options options_;
    bool constant_hash_ = false;
    bool metrics_gate_ = true;
    bool starts_ = true;
    std::unique_ptr<raising_meter> raising_;
    observations seen_;
    std::string meter_;  // the name of what is in force
    std::map<std::string, std::vector<point>> begun_;
    std::map<std::string, std::vector<point>> ended_;
};

}  // namespace gym::telemetry::cases
