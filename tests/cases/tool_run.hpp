// SPDX-License-Identifier: Apache-2.0
//
// `gymtel` run in a folder made for one case, and what it left behind.
#pragma once

#include "case_file.hpp"

#include <gym/telemetry/collection.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <sys/resource.h>

namespace gym::telemetry::cases {

// A folder that is gone with this object, filled with the files of `given`.
class case_folder {
public:
    explicit case_folder(const case_file& c);
    ~case_folder();
    case_folder(const case_folder&) = delete;
    case_folder& operator=(const case_folder&) = delete;

    std::string path(const std::string& name) const { return folder_ + "/" + name; }
    void write(const std::string& name, const std::string& text) const;
    std::string read(const std::string& name) const;

private:
    std::string folder_;
};

struct tool_result {
    int status = 0;  // as wait4 gives it
    double peak_rss_mib = 0;
    std::string out;
    std::string err;

    // The object on stdout, when there is one.
    json_value json{};
    std::vector<point> points() const;
    std::int64_t count(std::string_view key) const;
};

// Runs it to its end; with an append_script, plays that and then sends SIGINT. Throws skip when
// there is no gymtel beside this program.
tool_result run_tool(const case_file& c, const case_folder& folder, const call& f);

// Everything of `expect` that is about the tool's output, for the drivers cli and health.
void check_tool(const case_file& c, const tool_result& tool);

}  // namespace gym::telemetry::cases
