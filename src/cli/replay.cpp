// SPDX-License-Identifier: Apache-2.0
#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/lifecycle.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <variant>

#include <cli/console.hpp>
#include <cli/replay.hpp>
#include <cli/replay_files.hpp>
#include <cli/replay_json.hpp>
#include <cli/replay_otlp.hpp>
#include <cli/replay_report.hpp>
#include <cli/replay_sink.hpp>
#include <cli/replay_summary.hpp>
#include <cli/verbs.hpp>
#include <sys/resource.h>

namespace gymtel {
namespace {

namespace telemetry = gym::telemetry;

// Each file that is followed is held open, so a run of a thousand shards needs more than the 1,024
// descriptors that a process usually begins with. It may have more for the asking.
void allow_many_files() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    (void)::setrlimit(RLIMIT_NOFILE, &limit);  // else as many as before
}

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

void add_health(const telemetry::collection& collected, run_summary& run) {
    for (const telemetry::point& p : collected.points) {
        if (p.instrument != telemetry::rollout_health_verdict_instrument) continue;
        const auto count = static_cast<std::uint64_t>(std::get<std::int64_t>(p.value));
        run.evaluated += count;
        for (const auto& [key, value] : p.attributes) {
            if (key != telemetry::health_verdict_attribute) continue;
            const auto& verdict = std::get<std::string>(value);
            if (verdict == telemetry::verdict::unhealthy) run.unhealthy += count;
            if (verdict == telemetry::verdict::unobserved) run.unobserved += count;
        }
    }
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
    add_health(collected, run);
    return to_report(run, look_of_stdout());
}

// What --otlp adds: nothing without it.
class replay_to_receiver {
public:
    replay_to_receiver(const replay_options& options, const replay_files& files,
                       const replay_sink& sink, console& out)
        : options_(options), files_(files), sink_(sink) {
        if (!options.otlp.empty()) sender_.emplace(options.otlp, out);
    }

    bool is_usable() const noexcept { return !sender_ || sender_->is_usable(); }

    // While files grow: once a second at most, and only what is new. A failure is made good by the
    // next one, since the figures are cumulative.
    void send_sometimes() {
        const auto now = std::chrono::steady_clock::now();
        if (!sender_ || sink_.rows() == sent_rows_ || now < next_) return;
        send();
        next_ = now + std::chrono::seconds(1);
    }
    // True when the receiver has all of it.
    bool send() {
        if (!sender_) return true;
        sent_rows_ = sink_.rows();
        return sender_->send(instance_id(), {.oldest_s = sink_.oldest_s(),
                                             .newest_s = sink_.newest_s(),
                                             .file_time_s = files_.newest_file_s()});
    }

    bool send_last(console& out) {
        const bool is_sent = send();
        if (sender_ && is_sent)
            out.complain("sent to " + options_.otlp + " as service.instance.id " + instance_id());
        return is_sent;
    }

private:
    // A file that grows has no content yet by which it could be told; its name must do.
    std::string instance_id() const {
        return instance_id_of(options_.follow ? files_.paths() : files_.contents());
    }

    const replay_options& options_;
    const replay_files& files_;
    const replay_sink& sink_;
    std::optional<replay_sender> sender_;
    std::uint64_t sent_rows_ = 0;
    std::chrono::steady_clock::time_point next_{};
};

}  // namespace

int run_replay(const replay_options& options) {
    console out;
    if (!begin_telemetry()) {
        out.complain("gymtel replay: the recorders cannot be started");
        return exit_failure;
    }
    replay_sink sink(out, options.health);
    replay_files files(sink, out);
    replay_to_receiver receiver(options, files, sink, out);
    if (!receiver.is_usable()) {
        out.flush_complaints();
        return exit_usage;
    }
    if (!options.otlp.empty()) files.keep_contents();
    allow_many_files();
    for (const std::string& path : options.files) files.add(path);
    options.follow ? files.follow([&receiver] { receiver.send_sometimes(); }) : files.read_all();

    const telemetry::collection collected = telemetry::collect();
    const bool is_sent = receiver.send_last(out);
    telemetry::shutdown();
    out.flush_complaints();
    if (files.read() == 0 && files.refused() > 0) return exit_usage;
    const std::string text =
        options.json
            ? to_json(collected,
                      {.rows = sink.rows(), .rejected = sink.rejected(), .files = files.read()})
            : report_of(collected, sink, files, options);
    if (!write_stdout(text) || !is_sent) return exit_failure;
    return sink.rejected() + files.refused() + files.damaged() > 0 ? exit_partial : exit_ok;
}

}  // namespace gymtel
