// SPDX-License-Identifier: Apache-2.0
#include "export/exporters.hpp"

#include "export/grpc_exporter.hpp"
#include "export/json_lines.hpp"
#include "export/otlp_exporter.hpp"

#include <algorithm>

namespace gym::telemetry::detail {

std::vector<std::unique_ptr<exporter>> make_exporters(const settings& config) {
    std::vector<std::unique_ptr<exporter>> made;
    const auto wanted = [&](std::string_view name) {
        return std::ranges::find(config.exporters, name) != config.exporters.end();
    };
    if (wanted("console")) made.push_back(make_console_exporter());
    if (wanted("file"))
        if (auto to = make_file_exporter(config.file)) made.push_back(std::move(to));
    if (wanted("otlp"))
        if (auto to = split_by_protocol(make_otlp_exporter(otlp_targets_of(config)),
                                        make_grpc_exporter(config), config))
            made.push_back(std::move(to));
    return made;
}

}  // namespace gym::telemetry::detail
