// SPDX-License-Identifier: Apache-2.0
//
// Requests that a last flush could not send, as files of OTLP JSON lines in a folder, one file a
// process. The next process that starts with the same folder sends them. Several may use it at
// once: a file is locked while it is written or sent. Export thread only.
#pragma once

#include "export/exporter.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace gym::telemetry::detail {

// Bytes in one folder at most. What comes on top is lost, with a diagnostic.
inline constexpr std::int64_t spool_bytes_max = std::int64_t{64} << 20;

class spool {
public:
    // `name` tells this process's file from others': its instance id.
    spool(std::string folder, std::string_view name);

    // Keeps a request. False, with a diagnostic, when that cannot be done.
    bool keep(signal_kind signal, std::string_view protobuf);

    // Sends what lies there, oldest file first, line by line, and removes what was answered. A line
    // becomes the bytes again that it was made of, so a receiver can tell a batch that it has seen.
    // False when something is left.
    bool send(exporter& to, const export_limits& limits,
              const std::function<void(std::string_view, const shipment&)>& report);

    // Bytes that wait, of all processes.
    std::int64_t waiting_bytes() const;

private:
    bool send_file(const std::string& path, exporter& to, const export_limits& limits,
                   const std::function<void(std::string_view, const shipment&)>& report);

    std::string folder_;
    std::string own_path_;
};

}  // namespace gym::telemetry::detail
