// SPDX-License-Identifier: Apache-2.0
#include "health/report_files.hpp"

#include "health/json_text.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace gym::telemetry::health {

namespace {

// Objects and arrays as orjson writes them, plainly or with an indent of two spaces.
class json_tree {
public:
    explicit json_tree(json_style style) : indented_(style == json_style::indented) {}

    json_tree& key(std::string_view name) {
        entry();
        append_json_string(out_, name);
        out_.append(indented_ ? ": " : ":");
        after_key_ = true;
        return *this;
    }
    json_tree& open(char bracket) {
        entry();
        out_.push_back(bracket);
        levels_.push_back(true);
        return *this;
    }
    json_tree& close(char bracket) {
        const bool empty = levels_.back();
        levels_.pop_back();
        if (!empty) new_line();
        out_.push_back(bracket);
        return *this;
    }
    json_tree& text(std::string_view value) {
        entry();
        append_json_string(out_, value);
        return *this;
    }
    json_tree& integer(wide_integer value) {
        entry();
        append_integer(out_, value);
        return *this;
    }

    std::string take() { return std::move(out_); }

private:
    // In front of an entry of an array or a key of an object: its comma and its line.
    void entry() {
        if (after_key_ || levels_.empty()) {
            after_key_ = false;
            return;
        }
        if (!levels_.back()) out_.push_back(',');
        levels_.back() = false;
        new_line();
    }
    void new_line() {
        if (indented_) out_.append("\n").append(levels_.size() * 2, ' ');
    }

    std::string out_;
    std::vector<bool> levels_;  // of each open bracket: nothing inside yet
    bool indented_;
    bool after_key_ = false;
};

void write_verdicts(json_tree& json, const verdict_counts& verdicts) {
    json.key("healthy").integer(verdicts[0]);
    json.key("unhealthy").integer(verdicts[1]);
    json.key("unobserved").integer(verdicts[2]);
}

void write_artifacts(json_tree& json, const reduced_report& report) {
    json.key("artifacts").open('{');
    json.key("records").integer(report.totals.records);
    json.key("captures").integer(report.totals.captures);
    json.key("coverage").open('{');
    for (std::size_t i = 0; i < check_count; ++i) {
        json.key(health_check_ids[i]).open('{');
        json.key("evaluated").integer(report.coverage[i].evaluated);
        json.key("unobserved").integer(report.coverage[i].unobserved);
        json.key("ignored").integer(report.coverage[i].ignored).close('}');
    }
    json.close('}').close('}');
}

void write_stats(json_tree& json, const report_totals& totals) {
    json.key("stats").open('{');
    json.key("model_call_errors").open('{');
    json.key("total").integer(totals.call_errors);
    json.key("by_status").open('{');
    for (const auto& [status, count] : totals.errors_by_status) json.key(status).integer(count);
    json.close('}');
    json.key("rollouts_affected").integer(totals.rollouts_with_errors);
    json.key("ended_on_error").integer(totals.ended_on_error).close('}');
    json.key("duplicated_calls").open('{');
    json.key("replayed").integer(totals.replayed_calls);
    json.key("rollouts").integer(totals.rollouts_with_replays).close('}');
    json.key("tokens").open('{');
    json.key("prompt").integer(totals.prompt);
    json.key("completion").integer(totals.completion);
    json.key("capture_prompt").integer(totals.capture_prompt);
    json.key("capture_completion").integer(totals.capture_completion).close('}');
    json.close('}');
}

void write_ignored(json_tree& json, check_set ignored) {
    std::vector<std::string_view> ids;
    for (std::size_t i = 0; i < check_count; ++i)
        if (ignored.has(static_cast<check_id>(i))) ids.push_back(health_check_ids[i]);
    std::sort(ids.begin(), ids.end());
    json.key("ignored_checks").open('[');
    for (std::string_view id : ids) json.text(id);
    json.close(']');
}

void write_task(json_tree& json, const task_report& task) {
    json.open('{');
    json.key("repeats").integer(task.repeats);
    write_verdicts(json, task.verdicts);
    json.key("flags").open('[');
    for (std::size_t i = rollout_check_count; i < check_count; ++i)
        if (task.flags.has(static_cast<check_id>(i))) json.text(health_check_ids[i]);
    json.close(']').close('}');
}

// A text that reads like an integer task takes that one's place: in the file both have one key.
void write_tasks(json_tree& json, const std::vector<task_report>& tasks) {
    std::map<std::string, const task_report*, std::less<>> texts;
    for (const task_report& task : tasks)
        if (task.task.is_text()) texts.emplace(task.task.text(), &task);
    json.key("tasks").open('{');
    for (const task_report& task : tasks) {
        const std::string name = task.task.as_text();
        const auto text = texts.find(name);
        if (text == texts.end()) {
            write_task(json.key(name), task);
        } else if (text->second != nullptr) {
            write_task(json.key(name), *text->second);
            text->second = nullptr;
        }
    }
    json.close('}');
}

}  // namespace

std::string summary_json(const reduced_report& report, json_style style) {
    json_tree json(style);
    json.open('{');
    json.key("run").open('{');
    write_ignored(json, report.ignored);
    write_artifacts(json, report);
    json.key("verdicts").open('{');
    write_verdicts(json, report.verdicts);
    json.close('}');
    json.key("issues").open('{');
    for (std::size_t i = 0; i < check_count; ++i)
        json.key(health_check_ids[i]).integer(report.totals.findings[i]);
    json.close('}');
    write_stats(json, report.totals);
    json.close('}');
    write_tasks(json, report.tasks);
    json.close('}');
    return json.take();
}

void append_verdict_line(std::string& out, const report_record& record) {
    out.append("{\"_ng_task_index\":");
    record.identity.task.append_json(out);
    out.append(",\"_ng_rollout_index\":");
    record.identity.rollout.append_json(out);
    out.append(",\"rollout_id\":");
    append_json_string(out, record.identity.rollout_id);
    out.append(",\"verdict\":");
    append_json_string(out, name_of(record.verdict));
    out.append(",\"findings\":[").append(record.findings);
    if (record.duplicate_count > 0) {
        if (!record.findings.empty()) out.push_back(',');
        out.append(R"({"check":"rollout_duplicate_identity","detail":{"duplicate_count":)");
        append_integer(out, record.duplicate_count);
        out.append("}}");
    }
    out.append("],\"unobserved\":[");
    bool first = true;
    for (std::size_t i = 0; i < rollout_check_count; ++i) {
        if (!record.unobserved.has(static_cast<check_id>(i))) continue;
        if (!std::exchange(first, false)) out.push_back(',');
        append_json_string(out, health_check_ids[i]);
    }
    out.push_back(']');
    if (record.identity.stage.present()) {
        out.append(",\"stage_index\":");
        record.identity.stage.append_json(out);
    }
    out.append("}\n");
}

}  // namespace gym::telemetry::health
