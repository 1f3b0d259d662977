// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"
#include "base/utf8.hpp"
#include "sandbox/ledger.hpp"

#include <gym/telemetry/ledger.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <cli/console.hpp>
#include <cli/json_text.hpp>
#include <cli/sandboxes.hpp>
#include <cli/verbs.hpp>
#include <fmt/format.h>

namespace gymtel {
namespace {

namespace gt = gym::telemetry;

std::string folder_of(const sandboxes_options& options) {
    if (!options.ledger.empty()) return options.ledger;
    const auto variables = gt::detail::environment::of_process();
    for (const std::string_view name : {"NEMO_GYM_OTEL_LEDGER", "NEMO_LENS_LEDGER"})
        if (const auto setting = variables.get(name)) {
            const std::string folder = gt::detail::ledger_folder_of(*setting, variables);
            if (!folder.empty()) return folder;
        }
    return gt::default_ledger_folder();
}

double age_seconds(const gt::ledger_entry& entry) {
    const std::int64_t age_ns = gt::detail::system_wall_ns() - entry.birth_ns;
    return static_cast<double>(std::max<std::int64_t>(age_ns, 0)) / 1e9;
}

std::string_view state_of(const gt::ledger_entry& entry) {
    return entry.is_orphaned ? "orphaned" : "held";
}

// A file may hold any bytes: no control characters reach the terminal, and JSON is UTF-8.
std::string shown(std::string_view text) {
    std::array<char, gt::detail::attribute_size_max> buffer{};
    return printable(gt::detail::normalize_text(text, buffer));
}

std::string as_json(const std::vector<gt::ledger_entry>& entries) {
    std::string out = "{\"sandboxes\":[";
    for (const gt::ledger_entry& entry : entries) {
        if (out.back() != '[') out += ',';
        out += "{\"provider\":";
        append_json(out, std::string_view(shown(entry.provider)));
        out += ",\"id\":";
        append_json(out, std::string_view(shown(entry.id)));
        out += ",\"state\":";
        append_json(out, state_of(entry));
        out += ",\"pid\":";
        append_json(out, entry.pid);
        out += ",\"birth_ns\":";
        append_json(out, entry.birth_ns);
        out += ",\"age_seconds\":";
        append_json(out, age_seconds(entry));
        out += '}';
    }
    return out + "]}\n";
}

// 59s, 12m, 5h, 3d: as much as one wants to know of an age.
std::string age_text(double seconds) {
    if (seconds < 60) return fmt::format("{:.0f}s", seconds);
    if (seconds < 3600) return fmt::format("{:.0f}m", seconds / 60);
    if (seconds < 86400) return fmt::format("{:.0f}h", seconds / 3600);
    return fmt::format("{:.0f}d", seconds / 86400);
}

std::string as_text(const std::vector<gt::ledger_entry>& entries, const std::string& folder) {
    if (entries.empty()) return "no sandboxes in " + printable(folder) + '\n';
    std::string out =
        fmt::format("{:<9} {:>5} {:>8}  {:<12} {}\n", "STATE", "AGE", "PID", "PROVIDER", "ID");
    for (const gt::ledger_entry& entry : entries)
        out += fmt::format("{:<9} {:>5} {:>8}  {:<12} {}\n", state_of(entry),
                           age_text(age_seconds(entry)), entry.pid, shown(entry.provider),
                           shown(entry.id));
    return out;
}

}  // namespace

int run_sandboxes(const sandboxes_options& options) {
    const std::string folder = folder_of(options);
    if (folder.empty()) {
        std::fprintf(stderr,
                     "gymtel sandboxes: no ledger: --ledger, NEMO_GYM_OTEL_LEDGER, "
                     "XDG_STATE_HOME or HOME must say where it is\n");
        return exit_usage;
    }
    const auto entries = gt::read_ledger(folder);
    if (!write_stdout(options.json ? as_json(entries) : as_text(entries, folder)))
        return exit_failure;
    if (options.forget) gt::forget_orphans(folder);
    return exit_ok;
}

}  // namespace gymtel
