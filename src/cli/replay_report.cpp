// SPDX-License-Identifier: Apache-2.0
#include <span>
#include <vector>

#include <cli/replay_report.hpp>
#include <cli/report_text.hpp>
#include <fmt/format.h>

namespace gymtel {
namespace {

constexpr std::size_t name_width = 25;

struct column {
    std::string_view title;
    std::size_t width;
};

constexpr column attempt_columns[] = {
    {"attempts", 9}, {"scored", 9}, {"failed", 8}, {"tokens in", 13}, {"tokens out", 13}};
constexpr column reward_columns[] = {{"negative", 9}, {"zero", 9},    {"partial", 9},
                                     {"full", 9},     {"above 1", 9}, {"none", 8}};
constexpr std::size_t masked_column_count = reward_range_count;

look without_colour(look how) {
    how.colour = false;
    return how;
}

std::string header(std::string_view title, std::span<const column> columns, const look& how) {
    std::string line = " " + left_cell(title, name_width, how);
    for (const column& c : columns) line += right_cell(c.title, c.width);
    return toned(line, tone::dim, how) + "\n";
}

std::string row_of_cells(std::string_view name, std::span<const std::string> cells,
                         std::span<const column> columns, const look& how) {
    std::string line = " " + left_cell(name, name_width, how);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string cell = right_cell(cells[i], columns[i].width);
        line += cells[i] == "0" || cells[i] == "unknown" ? toned(cell, tone::dim, how) : cell;
    }
    return line + "\n";
}

// A sum that some attempts do not add to is marked; one that none adds to is unknown.
std::string token_cell(std::uint64_t sum, std::uint64_t unknown, std::uint64_t attempts) {
    if (unknown == attempts) return "unknown";
    return grouped(sum) + (unknown > 0 ? "*" : "");
}

std::vector<std::string> attempt_cells(const environment_summary& e) {
    return {grouped(e.attempts()), grouped(e.scored), grouped(e.failed),
            token_cell(e.tokens.input, e.tokens.input_unknown, e.attempts()),
            token_cell(e.tokens.output, e.tokens.output_unknown, e.attempts())};
}

std::vector<std::string> reward_cells(const environment_summary& e) {
    std::vector<std::string> cells;
    for (const std::uint64_t n : e.rewards) cells.push_back(grouped(n));
    cells.push_back(grouped(e.without_reward()));
    return cells;
}

std::vector<std::string> masked_cells(const environment_summary& e) {
    std::vector<std::string> cells;
    for (const std::uint64_t n : e.masked) cells.push_back(grouped(n));
    return cells;
}

using cells_of = std::vector<std::string> (*)(const environment_summary&);
using is_shown = bool (*)(const environment_summary&);

// One line an environment, and the total where there are several.
std::string table(const run_summary& run, std::string_view title, std::span<const column> columns,
                  is_shown shown, cells_of cells, const look& how) {
    std::string out = "\n" + header(title, columns, how);
    std::size_t lines = 0;
    for (const auto& [name, environment] : run.environments) {
        if (!shown(environment)) continue;
        ++lines;
        out += row_of_cells(name, cells(environment), columns, how);
    }
    if (lines > 1)
        out += toned(row_of_cells("total", cells(run.total()), columns, without_colour(how)),
                     tone::strong, how);
    return out;
}

constexpr std::size_t failed_name_width = 14;
constexpr std::size_t failed_count_width = 6;
constexpr std::size_t failure_class_width = 20;
constexpr std::size_t failure_kind_width = 18;
constexpr std::size_t failure_type_width = 18;

std::string failure_line(std::string_view name, std::string_view count, const failure_summary& f,
                         const look& how) {
    const auto part = [&how](std::string_view text, std::size_t width) {
        return " " + left_cell(text.empty() ? "-" : text, width, how);
    };
    std::string line = " " + left_cell(name, failed_name_width, how) +
                       right_cell(count, failed_count_width) +
                       part(f.failure_class, failure_class_width) +
                       part(f.kind, failure_kind_width) + part(f.type, failure_type_width);
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

std::string failures(const run_summary& run, const look& how) {
    if (run.failures.empty()) return {};
    const failure_summary titles{.failure_class = "class", .kind = "kind", .type = "type"};
    std::string out = "\n" + toned(failure_line("Failures", "number", titles, how), tone::dim, how);
    for (const failure_summary& f : run.failures)
        out += "\n" + failure_line(f.environment, grouped(f.count), f, how);
    if (run.environments.size() > 1)
        for (const failure_summary& f : run.total_failures())
            out += "\n" + toned(failure_line("total", grouped(f.count), f, how), tone::strong, how);
    return out + "\n";
}

std::string most_frequent_failure(const run_summary& run) {
    const std::vector<failure_summary> all = run.total_failures();
    if (all.empty()) return {};
    const failure_summary& f = all.front();
    const std::string& name =
        !f.kind.empty() && f.kind != "unregistered" ? f.kind : f.failure_class;
    return name.empty() ? std::string() : fmt::format(", most often {}", name);
}

std::string attempts_sentence(const run_summary& run, const environment_summary& all) {
    std::string text = counted(all.attempts(), "attempt", "attempts") + ": ";
    if (all.failed == 0)
        text += "none failed";
    else
        text += fmt::format("{} failed ({}){}", grouped(all.failed),
                            percent(all.failed, all.attempts()), most_frequent_failure(run));
    const std::uint64_t rewards = sum(all.rewards);
    if (rewards == 0) return text + ", and no reward counts.";
    const std::uint64_t above_zero = rewards - all.rewards[0] - all.rewards[1];
    if (rewards == 1)
        return text + (all.scored == 1 ? "; its reward is " : "; the only reward is ") +
               (above_zero == 1 ? "above zero." : "not above zero.");
    return text + fmt::format("; {} of {} rewards are above zero.", percent(above_zero, rewards),
                              grouped(rewards));
}

std::string trouble_sentence(const run_summary& run) {
    std::string text;
    const auto add = [&text](std::uint64_t n, std::string_view one, std::string_view many) {
        if (n > 0) text += (text.empty() ? "" : ", ") + counted(n, one, many);
    };
    add(run.rejected, "line was refused", "lines were refused");
    add(run.files_damaged, "file is damaged", "files are damaged");
    add(run.files_refused, "file could not be read", "files could not be read");
    return text.empty() ? text : text + " (see standard error).";
}

// The sentence that matters.
std::string headline(const run_summary& run, const look& how) {
    const environment_summary all = run.total();
    const std::string trouble = trouble_sentence(run);
    std::string text;
    if (all.attempts() > 0)
        text = attempts_sentence(run, all);
    else if (run.drained > 0)
        text = "No attempt: all rows were drained before they ran.";
    else
        text = trouble.empty() ? "No attempts: the files hold no rows." : "No attempts.";
    if (!trouble.empty()) text += " " + trouble;

    const bool bad = all.attempts() == 0 || all.failed == all.attempts();
    const bool attention = all.failed > 0 || !trouble.empty();
    const tone t = bad ? tone::bad : attention ? tone::attention : tone::good;
    const std::string_view glyph = how.utf8 ? (bad         ? "✗"
                                               : attention ? "▲"
                                                           : "✓")
                                            : (bad         ? "x"
                                               : attention ? "!"
                                                           : ".");
    // Wrapped before it is coloured, since colours take no columns.
    std::string lines = wrapped(std::string(glyph) + " " + text, 1, 3);
    return lines.replace(lines.find(glyph), glyph.size(), toned(glyph, t, how));
}

std::string token_note(const run_summary& run) {
    const environment_summary all = run.total();
    const std::uint64_t unknown = std::max(all.tokens.input_unknown, all.tokens.output_unknown);
    if (unknown == 0 || all.attempts() == 0) return {};
    if (all.tokens.input_unknown == all.attempts() && all.tokens.output_unknown == all.attempts())
        return {};
    return fmt::format(" * without the {} that {} not say\n",
                       counted(unknown, "attempt", "attempts"), unknown == 1 ? "does" : "do");
}

std::string footer(const run_summary& run) {
    std::string text = fmt::format("Read {} from {}", counted(run.rows, "row", "rows"),
                                   counted(run.files, "file", "files"));
    if (run.drained > 0)
        text += fmt::format(", {} of them drained and not counted", grouped(run.drained));
    if (run.files_skipped > 0)
        text += fmt::format("; skipped {} without rollouts",
                            counted(run.files_skipped, "file", "files"));
    text +=
        run.health_asked
            ? fmt::format(". {} of {} unhealthy, {} unobserved.", grouped(run.unhealthy),
                          counted(run.evaluated, "rollout", "rollouts"), grouped(run.unobserved))
            : ". Health was not asked for.";
    return "\n" + wrapped(text, 1, 1);
}

}  // namespace

std::string to_report(const run_summary& run, const look& how) {
    std::string out = headline(run, how);
    const environment_summary all = run.total();
    if (all.attempts() > 0) {
        out += table(
            run, "Attempts", attempt_columns,
            [](const environment_summary& e) { return e.attempts() > 0; }, attempt_cells, how);
        out += token_note(run);
    }
    if (all.scored > 0)
        out += table(
            run, "Rewards", reward_columns,
            [](const environment_summary& e) { return e.scored > 0; }, reward_cells, how);
    if (sum(all.masked) > 0)
        out += table(
            run, "Rewards that are masked", std::span(reward_columns).first(masked_column_count),
            [](const environment_summary& e) { return sum(e.masked) > 0; }, masked_cells, how);
    return out + failures(run, how) + footer(run);
}

}  // namespace gymtel
