// SPDX-License-Identifier: Apache-2.0
//
// gymtel: the command line. The only file that includes CLI11, which takes seconds to compile.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <cli/console.hpp>
#include <cli/emit.hpp>
#include <cli/health.hpp>
#include <cli/replay.hpp>
#include <cli/sandboxes.hpp>
#include <cli/spool.hpp>
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
    command
        .add_option("--otlp", options->otlp,
                    "send the points there, OTLP over HTTP: URL/v1/metrics.\n"
                    "Sending the same files again doubles nothing")
        ->type_name("URL");
    command.footer(
        "Exit code: 0 all rows were read; 3 some rows or files were refused or damaged,\n"
        "the rest was replayed; 2 wrong usage, or no file could be read.\n"
        "Refused lines are named on standard error: FILE:LINE: reason.");
    return [options] { return run_replay(*options); };
}

std::function<int()> declare_sandboxes(CLI::App& command) {
    auto options = std::make_shared<sandboxes_options>();
    command
        .add_option("--ledger", options->ledger,
                    "the ledger's folder (NEMO_GYM_OTEL_LEDGER, else the one below\n"
                    "XDG_STATE_HOME)")
        ->type_name("FOLDER");
    command.add_flag("--json", options->json, "print one JSON object");
    command.add_flag("--forget", options->forget,
                     "remove the orphans from the ledger once they are printed");
    return [options] { return run_sandboxes(*options); };
}

std::function<int()> declare_emit(CLI::App& command) {
    auto options = std::make_shared<emit_options>();
    command.add_option("WHAT", options->kind,
                       "startup-stamp, sandbox-startup, sandbox-exec, sandbox-active\n"
                       "or create-retry");
    command.add_option("VALUE", options->value,
                       "spawn, setup-done or serve; milliseconds; or how many more\n"
                       "(+1) or fewer (-1) sandboxes are active");
    command.add_option("--provider", options->provider, "of the sandbox")->type_name("NAME");
    command.add_option("--file", options->file, "of the records")->type_name("FILE");
    command.add_flag("--flush", options->flush, "send the totals of all records, as one stream");
    command.footer(
        "startup-stamp prints NAME=NS for the environment of a server that a launch\n"
        "shell starts; the others stand in a file, whose totals gymtel emit --flush\n"
        "sends, or a process with NEMO_GYM_OTEL_EMITTED at each of its exports.");
    return [options] { return run_emit(*options); };
}

std::function<int()> declare_health(CLI::App& command) {
    auto options = std::make_shared<health_command>();
    command.add_option("FILE", options->files, "rows of rollouts, JSON lines, in this order")
        ->required();
    command
        .add_option("--ignore", options->ignored_checks,
                    "checks that are not run, comma-separated; may stand several\n"
                    "times")
        ->type_name("IDS")
        ->allow_extra_args(false);
    command
        .add_option("--output", options->output_folder,
                    "of the two files; the folder of the first FILE by default")
        ->type_name("FOLDER");
    command.add_option("--workers", options->workers, "threads; the cores, at most 8, by default")
        ->type_name("N");
    command.add_flag("--json", options->json, "print the summary as one JSON object");
    command.footer(
        "Writes quality_summary.json and rollout_verdicts.jsonl, as NeMo Gym 0.7.0 does.\n"
        "Exit code: 0 the report was written, whatever it says; 2 wrong usage, an\n"
        "unknown check, a missing file, or a row without a usable index: then nothing is\n"
        "written.");
    return [options] { return run_health(*options); };
}

std::function<int()> declare_spool(CLI::App& command) {
    auto options = std::make_shared<spool_options>();
    command.add_option("DIR", options->folder, "the spool's folder (NEMO_GYM_OTEL_SPOOL)");
    command.add_option("--otlp", options->otlp,
                       "URL/v1/metrics and URL/v1/traces; by default where the OpenTelemetry\n"
                       "variables say");
    command.footer(
        "Exit code: 0 all of it was taken; 1 the receiver does not answer, the rest waits;\n"
        "3 something was refused for good, or another process is at a file.");
    return [options] { return run_spool(*options); };
}

constexpr verb verbs[] = {
    {"replay", "play a run's rollout files through the recorders", declare_replay},
    {"health", "say which rollouts of a run cannot be believed", declare_health},
    {"sandboxes", "list the sandboxes of a ledger, held and orphaned", declare_sandboxes},
    {"spool", "send what processes could not before they ended", declare_spool},
    {"emit", "record from a shell script", declare_emit},
};

bool is_verb(std::string_view name) {
    return std::any_of(std::begin(verbs), std::end(verbs),
                       [name](const verb& v) { return name == v.name; });
}

void set_up(CLI::App& app) {
    app.set_help_flag("-h,--help", "print this help and exit");
    app.set_version_flag("--version", "gymtel " GYMTEL_VERSION, "print the version");
    app.require_subcommand(1);
    app.get_formatter()->label("SUBCOMMAND", "VERB");
    app.get_formatter()->label("REQUIRED", "");
    app.get_formatter()->label("TEXT", "");
    app.get_formatter()->column_width(19);
    app.footer("gymtel VERB --help says what a verb reads, writes and returns.");
}

int wrong_usage(const std::string& command, const std::string& what) {
    std::fprintf(stderr, "%s: %s\n%s --help says how it is used.\n", command.c_str(),
                 printable(what).c_str(), command.c_str());
    return exit_usage;
}

// Help and version come this way too.
int ended(const CLI::App& app, const CLI::ParseError& problem) {
    std::ostringstream out;
    std::ostringstream ignored;
    if (app.exit(problem, out, ignored) == 0)
        return write_stdout(out.str()) ? exit_ok : exit_failure;
    const auto verbs_named = app.get_subcommands();
    const std::string command =
        verbs_named.empty() ? "gymtel" : "gymtel " + verbs_named.front()->get_name();
    const bool no_verb = verbs_named.empty() && problem.get_name() == "RequiredError";
    return wrong_usage(command, no_verb ? "a verb is required" : problem.what());
}

int run(int argc, char** argv) {
    CLI::App app("gymtel: telemetry of reinforcement-learning gyms", "gymtel");
    set_up(app);
    std::vector<std::pair<CLI::App*, std::function<int()>>> commands;
    for (const verb& v : verbs) {
        CLI::App* command = app.add_subcommand(v.name, v.summary)->group("Verbs")->footer("");
        commands.emplace_back(command, v.declare(*command));
    }
    if (argc < 2) {
        std::fputs(app.help().c_str(), stderr);
        return exit_usage;
    }
    if (argv[1][0] != '-' && !is_verb(argv[1]))
        return wrong_usage("gymtel", "there is no verb '" + std::string(argv[1]) + "'");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        return ended(app, problem);
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
