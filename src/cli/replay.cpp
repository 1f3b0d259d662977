// SPDX-License-Identifier: Apache-2.0
#include <gym/telemetry/lifecycle.hpp>

#include <cli/console.hpp>
#include <cli/replay.hpp>
#include <cli/replay_files.hpp>
#include <cli/replay_json.hpp>
#include <cli/replay_report.hpp>
#include <cli/replay_sink.hpp>
#include <cli/replay_summary.hpp>
#include <cli/verbs.hpp>

namespace gymtel {
namespace {

namespace telemetry = gym::telemetry;

// On, every group, no series limit, nothing from the environment: a replay of the same files gives
// the same figures on every machine.
bool begin_telemetry() {
    telemetry::init({.enabled = true,
                     .span_groups = "all",
                     .exporter = "memory",
                     .cardinality_limit = 0,
                     .ignore_environment = true});
    return telemetry::is_exporting();
}

std::string report_of(const telemetry::collection& collected, const replay_sink& sink,
                      const replay_files& files, const replay_options& options) {
    run_summary run = summarize(collected, sink.tokens());
    run.rows = sink.rows();
    run.rejected = sink.rejected();
    run.drained = sink.drained();
    run.files = files.read();
    run.files_refused = files.refused();
    run.files_damaged = files.damaged();
    run.files_skipped = files.skipped();
    run.health_asked = options.health;
    return to_report(run, look_of_stdout());
}

}  // namespace

int run_replay(const replay_options& options) {
    console out;
    if (!begin_telemetry()) {
        out.complain("gymtel replay: the recorders cannot be started");
        return exit_failure;
    }
    replay_sink sink(out, options.health);
    replay_files files(sink, out);
    for (const std::string& path : options.files) files.add(path);
    options.follow ? files.follow() : files.read_all();

    const telemetry::collection collected = telemetry::collect();
    telemetry::shutdown();
    out.flush_complaints();
    if (files.read() == 0 && files.refused() > 0) return exit_usage;
    const std::string text =
        options.json
            ? to_json(collected,
                      {.rows = sink.rows(), .rejected = sink.rejected(), .files = files.read()})
            : report_of(collected, sink, files, options);
    if (!write_stdout(text)) return exit_failure;
    return sink.rejected() + files.refused() + files.damaged() > 0 ? exit_partial : exit_ok;
}

}  // namespace gymtel
