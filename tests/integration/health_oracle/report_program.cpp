// SPDX-License-Identifier: Apache-2.0
//
// `gymtel health` without the rest of gymtel: the report with the options that the comparison
// uses, small enough to be linked once for each mutant.
//     report_program [--output FOLDER] [--workers N] [--ignore IDS]... FILE...
#include <gym/telemetry/health.hpp>

#include <cstdio>
#include <cstdlib>
#include <string_view>

int main(int argc, char** argv) {
    gym::telemetry::health_report_options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        const bool valued = argument.starts_with("--");
        if (valued && i + 1 == argc) return 2;
        if (argument == "--output") {
            options.output_folder = argv[++i];
        } else if (argument == "--workers") {
            options.workers = static_cast<std::uint32_t>(std::atoi(argv[++i]));
        } else if (argument == "--ignore") {
            options.ignored_checks.emplace_back(argv[++i]);
        } else {
            options.files.emplace_back(argument);
        }
    }
    const auto report = gym::telemetry::run_health_report(options);
    if (!report.error.empty()) {
        std::fprintf(stderr, "%s\n", report.error.c_str());
        return 2;
    }
    std::fputs(report.text.c_str(), stdout);
    return 0;
}
