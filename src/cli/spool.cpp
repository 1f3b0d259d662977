// SPDX-License-Identifier: Apache-2.0
#include <gym/telemetry/diagnostics.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include <base/environment.hpp>
#include <base/url.hpp>
#include <cli/console.hpp>
#include <cli/spool.hpp>
#include <cli/verbs.hpp>
#include <export/otlp_exporter.hpp>
#include <export/pipeline.hpp>
#include <export/spool.hpp>
#include <fmt/format.h>
#include <handle/configuration.hpp>

namespace gymtel {
namespace {

namespace telemetry = gym::telemetry;
namespace detail = gym::telemetry::detail;

int complain(int code, const std::string& what) {
    std::fprintf(stderr, "gymtel spool: %s\n", what.c_str());
    return code;
}

telemetry::settings settings_for(const std::string& url) {
    telemetry::options block;
    if (!url.empty()) block.otlp_endpoint = url;
    auto config = detail::resolve_settings(block, detail::environment::of_process());
    if (url.empty()) return config;
    config.otlp_metrics.endpoint = detail::join_url(url, "v1/metrics");
    config.otlp_traces.endpoint = detail::join_url(url, "v1/traces");
    return config;
}

struct counts {
    int taken = 0;
    int refused = 0;  // for good
    int waiting = 0;  // no answer
};

void count(counts& to, const detail::shipment& sent) {
    if (!detail::is_answered(sent.result))
        ++to.waiting;
    else if (sent.result == detail::outcome::rejected)
        ++to.refused;
    else
        ++to.taken;
}

}  // namespace

int run_spool(const spool_options& options) {
    telemetry::set_diagnostics_handler([](const telemetry::diagnostic& what, void*) {
        complain(exit_failure, std::string(what.message));
    });
    const telemetry::settings config = settings_for(options.otlp);
    const std::string folder = options.folder.empty() ? config.spool : options.folder;
    if (folder.empty()) return complain(exit_usage, "which folder? DIR or NEMO_GYM_OTEL_SPOOL");
    if (!std::filesystem::is_directory(folder))
        return complain(exit_usage, "'" + folder + "' is no folder");
    detail::prepare_transports();
    const auto to =
        detail::make_otlp_exporter({.metrics = detail::http_target_of(config.otlp_metrics),
                                    .traces = detail::http_target_of(config.otlp_traces)});
    if (to == nullptr) return exit_usage;
    detail::spool spool(folder, "gymtel");
    detail::export_limits limits;
    counts seen;
    // The timeout is each request's: what lies here may be a day's.
    const auto begin_request = [&] {
        limits.set_deadline(std::chrono::steady_clock::now() +
                            std::chrono::milliseconds(config.otlp_metrics.timeout_ms));
    };
    begin_request();
    const bool all = spool.send(*to, limits, [&](std::string_view, const detail::shipment& sent) {
        count(seen, sent);
        begin_request();
    });
    const std::int64_t left = spool.waiting_bytes();
    const bool said = write_stdout(fmt::format("{} requests taken, {} refused; {} bytes wait\n",
                                               seen.taken, seen.refused, left));
    if (!said || !all || seen.waiting > 0) return exit_failure;
    return seen.refused > 0 || left > 0 ? exit_partial : exit_ok;
}

}  // namespace gymtel
