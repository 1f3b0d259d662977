// SPDX-License-Identifier: Apache-2.0
//
// gymtel: the command line. The only file that includes CLI11, which takes seconds to compile.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <cli/console.hpp>
#include <cli/emit.hpp>
#include <cli/health.hpp>
#include <cli/replay.hpp>
#include <cli/sandboxes.hpp>
#include <cli/verbs.hpp>

namespace gymtel {
namespace {

std::function<int()> declare_replay(CLI::App& command) {
    auto options = std::make_shared<replay_options>();
    command
        .add_option("FILE", options->files,
                    "rows of rollouts, JSON lines, plain or gzipped; - is standard\n"
                    "input. STEM_failures.jsonl beside STEM.jsonl is read as well")
        ->required();
    command.add_flag("--json", options->json, "print the points and counts as one JSON object");
    command.add_flag("--follow", options->follow,
                     "go on as the files grow, until SIGINT or SIGTERM");
    command.add_flag_callback(
        "--no-health", [options] { options->health = false; }, "do not evaluate rollout health");
    command.add_option("--otlp", options->otlp,
                       "send the points there, OTLP over HTTP: URL/v1/metrics. Sending\n"
                       "the same files again doubles nothing");
    command.footer(
        "Exit code: 0 all rows were read; 3 some rows or files were refused or damaged,\n"
        "the rest was replayed; 2 wrong usage, or no file could be read.\n"
        "Refused lines are named on standard error: FILE:LINE: reason.");
    return [options] { return run_replay(*options); };
}

std::function<int()> declare_sandboxes(CLI::App& command) {
    auto options = std::make_shared<sandboxes_options>();
    command.add_option("--ledger", options->ledger,
                       "the ledger's folder (NEMO_GYM_OTEL_LEDGER, else the one below\n"
                       "XDG_STATE_HOME)");
    command.add_flag("--json", options->json, "print one JSON object");
    command.add_flag("--forget", options->forget,
                     "remove the orphans from the ledger once they are printed");
    return [options] { return run_sandboxes(*options); };
}

std::function<int()> declare_emit(CLI::App& command) {
    auto options = std::make_shared<emit_options>();
    command.add_option("WHAT", options->kind,
                       "startup-stamp, sandbox-startup, sandbox-exec, sandbox-active or\n"
                       "create-retry");
    command.add_option("VALUE", options->value,
                       "spawn, setup-done or serve; milliseconds; +1 or -1");
    command.add_option("--provider", options->provider, "of the sandbox");
    command.add_option("--file", options->file, "of the records");
    command.add_flag("--flush", options->flush, "send the totals of all records, as one stream");
    command.footer(
        "startup-stamp prints NAME=NS for the environment of a server that a launch\n"
        "shell starts; the others stand in a file, whose totals gymtel emit --flush sends,\n"
        "or a process with NEMO_GYM_OTEL_EMITTED at each of its exports.");
    return [options] { return run_emit(*options); };
}

std::function<int()> declare_health(CLI::App& command) {
    auto options = std::make_shared<health_command>();
    command.add_option("FILE", options->files, "rows of rollouts, JSON lines, in this order")
        ->required();
    command
        .add_option("--ignore", options->ignored_checks,
                    "checks that are not run: ids, comma-separated or one after another")
        ->allow_extra_args(false);
    command.add_option("--output", options->output_folder,
                       "folder of the two files; that of the first FILE by default");
    command.add_option("--workers", options->workers, "threads; the cores, at most 8, by default");
    command.add_flag("--json", options->json, "print the summary as one JSON object");
    command.footer(
        "Writes quality_summary.json and rollout_verdicts.jsonl, as NeMo Gym 0.7.0 does.\n"
        "Exit code: 0 the report was written, whatever it says; 2 an unknown check, a missing\n"
        "file, or a row without a usable index: then nothing is written.");
    return [options] { return run_health(*options); };
}

constexpr verb verbs[] = {
    {"replay", "play a run's rollout files through the recorders", declare_replay},
    {"sandboxes", "list the sandboxes of a ledger, held and orphaned", declare_sandboxes},
    {"emit", "record from a shell script", declare_emit},
    {"health", "say which rollouts of a run cannot be believed", declare_health},
};

bool is_verb(std::string_view name) {
    return std::any_of(std::begin(verbs), std::end(verbs),
                       [name](const verb& v) { return name == v.name; });
}

int run(int argc, char** argv) {
    CLI::App app("gymtel: telemetry of reinforcement-learning gyms", "gymtel");
    app.set_version_flag("--version", "gymtel " GYMTEL_VERSION, "print the version");
    app.require_subcommand(1);
    app.get_formatter()->label("SUBCOMMAND", "VERB");
    app.get_formatter()->label("Subcommands", "Verbs");
    app.get_formatter()->label("REQUIRED", "");
    app.get_formatter()->label("TEXT", "");
    app.get_formatter()->column_width(18);
    app.failure_message(CLI::FailureMessage::simple);
    std::vector<std::pair<CLI::App*, std::function<int()>>> commands;
    for (const verb& v : verbs) {
        CLI::App* command = app.add_subcommand(v.name, v.summary);
        commands.emplace_back(command, v.declare(*command));
    }
    if (argc > 1 && argv[1][0] != '-' && !is_verb(argv[1])) {
        std::fprintf(stderr, "gymtel: unknown verb '%s'; gymtel --help lists the verbs\n", argv[1]);
        return exit_usage;
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        // Help and version come this way too, with an exit code of 0.
        return app.exit(problem) == 0 ? exit_ok : exit_usage;
    }
    for (const auto& [command, work] : commands)
        if (command->parsed()) return work();
    return exit_usage;
}

}  // namespace
}  // namespace gymtel

int main(int argc, char** argv) {
    try {
        return gymtel::run(argc, argv);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "gymtel: %s\n", problem.what());
        return gymtel::exit_failure;
    }
}
