// SPDX-License-Identifier: Apache-2.0
#include "handle/emitted_file.hpp"
#include "startup/stamps.hpp"

#include <gym/telemetry/diagnostics.hpp>
#include <gym/telemetry/emitted.hpp>
#include <gym/telemetry/startup.hpp>

#include <cstdio>
#include <string_view>
#include <utility>

#include <cli/console.hpp>
#include <cli/emit.hpp>
#include <cli/verbs.hpp>

namespace gymtel {
namespace {

namespace gt = gym::telemetry;

int complain(int code, const std::string& what) {
    std::fprintf(stderr, "gymtel emit: %s\n", what.c_str());
    return code;
}

int print_stamp(std::string_view which) {
    constexpr std::pair<std::string_view, std::string_view> stamps[] = {
        {"spawn", gt::startup_spawn_variable},
        {"setup-done", gt::startup_setup_done_variable},
        {"serve", gt::startup_serve_variable}};
    for (const auto& [name, variable] : stamps) {
        if (name != which) continue;
        const auto stamp = gt::detail::stamp_now(variable);
        return write_stdout(stamp.first + '=' + stamp.second + '\n') ? exit_ok : exit_failure;
    }
    return complain(exit_usage, "startup-stamp is one of spawn, setup-done, serve");
}

int append(const emit_options& options, const std::string& file) {
    const auto record = gt::detail::make_emitted(options.kind, options.value, options.provider);
    if (!record) return complain(exit_usage, record.failure().text);
    const auto appended = gt::detail::append_emitted(
        file, *record, gt::detail::run_of(gt::detail::environment::of_process()));
    return appended ? exit_ok : complain(exit_failure, appended.failure().text);
}

// The totals of everything that was emitted.
int flush(const std::string& file) {
    gt::set_diagnostics_handler([](const gt::diagnostic& what, void*) {
        std::fprintf(stderr, "gymtel emit: %.*s\n", static_cast<int>(what.message.size()),
                     what.message.data());
    });
    const gt::emitted_records seen = gt::send_emitted(file);
    if (!seen.sent)
        return complain(exit_failure, "the records of '" + file +
                                          "' were not sent and wait: is telemetry on "
                                          "(NEMO_GYM_OTEL_ENABLED), and the span group 'sandbox'?");
    return seen.refused > 0 ? exit_partial : exit_ok;
}

}  // namespace

int run_emit(const emit_options& options) {
    if (!options.flush && options.kind.empty())
        return complain(exit_usage, "what to emit, or --flush");
    if (options.kind == "startup-stamp") return print_stamp(options.value);
    const std::string file = options.file.empty() ? gt::default_emitted_file() : options.file;
    if (file.empty())
        return complain(exit_usage,
                        "--file, NEMO_GYM_OTEL_SPOOL, XDG_STATE_HOME or HOME must say "
                        "where the records go");
    if (!options.kind.empty()) {
        const int code = append(options, file);
        if (code != exit_ok || !options.flush) return code;
    }
    return flush(file);
}

}  // namespace gymtel
