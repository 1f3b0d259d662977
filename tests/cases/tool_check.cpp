// SPDX-License-Identifier: Apache-2.0
//
// What gymtel printed, against what the case expects.
#include "compare.hpp"
#include "isolated.hpp"
#include "observations.hpp"
#include "tool_run.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <gym/telemetry/constants.hpp>

#include <algorithm>
#include <array>
#include <cctype>

#include <sys/wait.h>

namespace gym::telemetry::cases {

namespace {

constexpr std::array<std::string_view, 5> reasons = {"not_json", "utf8", "too_deep",
                                                     "not_an_object", "truncated"};

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

bool is_word_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether the text stands in the line with nothing of a word or number right beside it.
bool has_word(const std::string& line, std::string_view word) {
    for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || !is_word_character(line[at - 1]);
        const bool ends = end == line.size() || !is_word_character(line[end]);
        if (begins && ends) return true;
    }
    return false;
}

bool names_reason(const std::string& line) {
    return std::ranges::any_of(reasons, [&](auto reason) { return has_word(line, reason); });
}

void check_reported(const json_value& expected, const tool_result& tool) {
    std::vector<std::string> left;
    for (const std::string& line : lines_of(tool.err))
        if (names_reason(line)) left.push_back(line);
    for (const json_value& entry : expected.items) {
        const json_value* file = entry.find("file");
        const json_value* reason = entry.find("reason");
        const std::string name = file ? text_of(*file) : "rollouts.jsonl";
        const std::string number = std::to_string(int64_of(*entry.find("line")));
        const auto at = std::ranges::find_if(left, [&](const std::string& line) {
            return has_word(line, name) && has_word(line, number) &&
                   (!reason || has_word(line, text_of(*reason)));
        });
        require(at != left.end(), "not reported: " + to_json(entry) + "; stderr: " + tool.err);
        left.erase(at);
    }
    require(left.empty(), left.empty() ? "" : "reported too: " + left.front());
}

void check_skipped(const json_value& expected, const tool_result& tool) {
    const std::vector<std::string> lines = lines_of(tool.err);
    for (const json_value& file : expected.items) {
        const auto named = std::ranges::count_if(
            lines, [&](const std::string& line) { return has_word(line, text_of(file)); });
        require(named == 1, std::to_string(named) + " lines on stderr name " + text_of(file));
    }
    const auto skips = std::ranges::count_if(
        lines, [](const std::string& line) { return line.find("skip") != line.npos; });
    require(skips == static_cast<std::ptrdiff_t>(expected.items.size()),
            std::to_string(skips) + " files were skipped: " + tool.err);
}

double scored_of(const std::vector<point>& points) {
    double scored = 0;
    for (const point& p : of_instrument(points, rollout_completed_instrument))
        for (const auto& [key, value] : p.attributes)
            if (key == rollout_outcome_attribute &&
                value == attribute_value(std::string(gym::telemetry::outcome::scored)))
                scored += value_of(p);
    return scored;
}

// What is 0 when the case does not speak of it, and says nothing where there is no result.
void check_derived(const case_file& c, const tool_result& tool) {
    if (tool.json.find("points") == nullptr) return;
    const std::vector<point> points = tool.points();
    const auto expect = [&](const char* key, double actual) {
        const json_value* expected = c.expects(key);
        require(actual == (expected ? number_of(*expected) : 0),
                std::string(key) + " is " + std::to_string(actual));
    };
    expect("unscored", scored_of(points) - total_of(points, rollout_rewarded_instrument));
    expect("drained", static_cast<double>(tool.count("rows")) -
                          total_of(points, rollout_completed_instrument));
}

void check_property(const json_value& property, const tool_result& tool) {
    const std::string& name = property.find("check")->text;
    const auto n = [&] { return number_of(*property.find("n")); };
    if (name == "exit_code_nonzero") {
        require(!WIFEXITED(tool.status) || WEXITSTATUS(tool.status) != 0, "the exit code is 0");
    } else if (name == "rows_accepted_ge") {
        require(static_cast<double>(tool.count("rows")) >= n(), "too few rows were read");
    } else if (name == "peak_rss_le_mib") {
        require(tool.peak_rss_mib <= n(),
                "the peak is " + std::to_string(tool.peak_rss_mib) + " MiB");
    } else if (name == "no_crash") {
        require(!WIFSIGNALED(tool.status), "ended by a signal");
        require(tool.err.find("Sanitizer") == tool.err.npos, "a sanitizer reported: " + tool.err);
    } else {
        throw failure("property not checked: " + name);
    }
}

void check_exit(const json_value& expected, const tool_result& tool) {
    if (WIFSIGNALED(tool.status))
        throw failure("gymtel ended by SIG" + signal_name(WTERMSIG(tool.status)));
    require(WEXITSTATUS(tool.status) == int64_of(expected),
            "the exit code is " + std::to_string(WEXITSTATUS(tool.status)) + ": " + tool.err);
}

}  // namespace

void check_tool(const case_file& c, const tool_result& tool) {
    for (const auto& [key, value] : c.expect.members) {
        if (key == "points") compare_points(without_own(tool.points()), value, {});
        if (key == "rows" || key == "rows_rejected" || key == "files")
            require(tool.count(key) == int64_of(value),
                    key + " is " + std::to_string(tool.count(key)));
        if (key == "exit_code") check_exit(value, tool);
        if (key == "stdout")
            require(tool.out == text_of(value), "stdout is " + json_text(tool.out.substr(0, 200)));
        if (key == "stderr_mentions")
            require(tool.err.find(text_of(value)) != tool.err.npos, "stderr is " + tool.err);
        if (key == "reported") check_reported(value, tool);
        if (key == "skipped") check_skipped(value, tool);
        if (key == "absent")
            for (const json_value& name : value.items)
                require(of_instrument(tool.points(), text_of(name)).empty(),
                        "there is a point of " + text_of(name));
    }
    check_derived(c, tool);
    for (const json_value& property : c.properties()) check_property(property, tool);
}

}  // namespace gym::telemetry::cases
