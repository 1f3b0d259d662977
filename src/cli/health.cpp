// SPDX-License-Identifier: Apache-2.0
#include <gym/telemetry/health.hpp>

#include <cli/console.hpp>
#include <cli/health.hpp>
#include <cli/verbs.hpp>

namespace gymtel {

int run_health(const health_command& command) {
    const auto report = gym::telemetry::run_health_report({.files = command.files,
                                                           .output_folder = command.output_folder,
                                                           .ignored_checks = command.ignored_checks,
                                                           .workers = command.workers});
    if (!report.error.empty()) {
        console out;
        out.complain("gymtel health: " + report.error);
        out.flush_complaints();
        return exit_usage;
    }
    return write_stdout(command.json ? report.summary_json + "\n" : report.text) ? exit_ok
                                                                                 : exit_failure;
}

}  // namespace gymtel
