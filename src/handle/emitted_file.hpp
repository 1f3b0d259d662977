// SPDX-License-Identifier: Apache-2.0
//
// The file of emitted records. Lines are only ever added: what is sent are the totals of all of
// them, under an identity that the file itself carries, so whoever sends, and how often, no line is
// lost and none counts twice. Its first line, and any other that begins with `#`, is no record:
//
//     #stream <instance id> <start, ns since the epoch> <host> <run id, or nothing>
#pragma once

#include "base/environment.hpp"
#include "base/result.hpp"
#include "handle/emitted_line.hpp"

#include <gym/telemetry/options.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gym::telemetry::detail {

// A file takes no more lines above it.
inline constexpr std::int64_t emitted_bytes_max = std::int64_t{64} << 20;

// Who the lines of a file are, for as long as there is the file.
struct emitted_identity {
    std::string instance;
    std::int64_t start_ns = 0;
    std::string host;
    std::string run;  // empty: none
};

std::string line_of(const emitted_identity& identity);
std::optional<emitted_identity> parse_identity(std::string_view line);

// The run that the variables name; empty: none.
std::string run_of(const environment& variables);

// Where the lines of a run stand; empty when no variable says where.
std::string emitted_file_of(const environment& variables);
// The same of a process with these settings, whose `emitted` is a path or true; empty: off.
std::string emitted_file_of(const settings& config, const environment& variables);

// Adds a line, with one write, to a file (0600) that is made where it is missing. `run` is written
// down when the file is made.
result<bool> append_emitted(const std::string& file, const emitted_record& record,
                            std::string_view run);

// Gives a file whose lines somebody else wrote its identity, unless it has got one meanwhile.
result<bool> add_identity(const std::string& file, std::string_view run);

}  // namespace gym::telemetry::detail
