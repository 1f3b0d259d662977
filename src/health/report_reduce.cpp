// SPDX-License-Identifier: Apache-2.0
#include "health/report_reduce.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace gym::telemetry::health {

namespace {

using record_span = std::span<report_record*>;

std::size_t index_of(check_id check) {
    return static_cast<std::size_t>(check);
}
std::size_t index_of(rollout_verdict verdict) {
    return static_cast<std::size_t>(verdict);
}

bool sorted_before(const report_record* a, const report_record* b) {
    int order = compare(a->identity.task, b->identity.task);
    if (order == 0) order = compare(a->identity.rollout, b->identity.rollout);
    if (order == 0) order = compare(a->identity.stage, b->identity.stage);
    return order < 0;
}

// Calls visit(group) for each run of records whose index is the same.
template <class Visit>
void each_group(record_span records, row_index row_identity::* index, Visit visit) {
    while (!records.empty()) {
        const row_index& first = records.front()->identity.*index;
        std::size_t size = 1;
        while (size < records.size() && records[size]->identity.*index == first) ++size;
        visit(records.first(size));
        records = records.subspan(size);
    }
}

// One repeat of a task: the records with one rollout index, whatever their stage.
struct task_repeat {
    rollout_verdict verdict;
    bool policy_calls_observed;
    std::uint64_t successful_calls;
};

task_repeat merge(record_span copies) {
    const rollout_verdict first = copies.front()->verdict;
    task_repeat repeat{first, true, 0};
    for (const report_record* copy : copies) {
        if (copy->verdict != first) repeat.verdict = rollout_verdict::unobserved;
        repeat.policy_calls_observed = repeat.policy_calls_observed && copy->policy_calls_observed;
        repeat.successful_calls = std::max(repeat.successful_calls, copy->successful_calls);
    }
    return repeat;
}

class reducer {
public:
    explicit reducer(check_set ignored) { report_.ignored = ignored; }

    reduced_report run(std::vector<record_batch>& batches) {
        for (record_batch& batch : batches) {
            report_.totals.add(batch.totals);
            for (report_record& record : batch.records) report_.records.push_back(&record);
        }
        std::stable_sort(report_.records.begin(), report_.records.end(), sorted_before);
        cover_rollout_checks();
        each_group(report_.records, &row_identity::task, [&](record_span task) {
            each_group(task, &row_identity::rollout,
                       [&](record_span rollout) { mark_duplicates(rollout); });
            reduce_task(task);
        });
        for (const report_record* record : report_.records)
            ++report_.verdicts[index_of(record->verdict)];
        sort_tasks();
        return std::move(report_);
    }

private:
    void cover_rollout_checks() {
        for (std::size_t i = 0; i < rollout_check_count; ++i) {
            coverage_counts& coverage = report_.coverage[i];
            if (report_.ignored.has(static_cast<check_id>(i))) {
                coverage.ignored = report_.totals.records;
            } else {
                coverage.unobserved = report_.totals.unobserved[i];
                coverage.evaluated = report_.totals.records - coverage.unobserved;
            }
        }
    }

    // Within one rollout the records are sorted by stage, where no stage and the stage "None" stand
    // together but are not the same.
    void mark_duplicates(record_span rollout) {
        if (report_.ignored.has(check_id::rollout_duplicate_identity)) return;
        const auto stage_below = [](const report_record* a, const report_record* b) {
            return compare(a->identity.stage, b->identity.stage) < 0;
        };
        for (auto at = rollout.begin(); at != rollout.end();) {
            const auto stop = std::upper_bound(at, rollout.end(), *at, stage_below);
            const auto staged = [](const report_record* record) {
                return record->identity.stage.present();
            };
            const auto with_stage = static_cast<std::uint64_t>(std::count_if(at, stop, staged));
            const auto without = static_cast<std::uint64_t>(stop - at) - with_stage;
            for (; at != stop; ++at) mark_duplicate(**at, staged(*at) ? with_stage : without);
        }
    }

    void mark_duplicate(report_record& record, std::uint64_t copies) {
        if (copies < 2) return;
        record.duplicate_count = copies;
        record.verdict = rollout_verdict::unhealthy;
        record.flagged.add(check_id::rollout_duplicate_identity);
        ++report_.totals.findings[index_of(check_id::rollout_duplicate_identity)];
        ++report_.totals.flagged[index_of(check_id::rollout_duplicate_identity)];
    }

    void reduce_task(record_span records) {
        task_report task{.task = records.front()->identity.task};
        bool all_observed = true;
        std::uint64_t successful = 0;
        each_group(records, &row_identity::rollout, [&](record_span copies) {
            const task_repeat repeat = merge(copies);
            ++task.repeats;
            ++task.verdicts[index_of(repeat.verdict)];
            all_observed = all_observed && repeat.policy_calls_observed;
            successful = std::max(successful, repeat.successful_calls);
        });
        const std::uint64_t unhealthy = task.verdicts[index_of(rollout_verdict::unhealthy)];
        const std::uint64_t judged =
            task.repeats - task.verdicts[index_of(rollout_verdict::unobserved)];
        check_task(check_id::task_consistently_unhealthy, judged >= 2, unhealthy == judged, task);
        check_task(check_id::task_no_successful_model_calls, all_observed, successful == 0, task);
        report_.tasks.push_back(task);
    }

    void check_task(check_id check, bool observed, bool found, task_report& task) {
        coverage_counts& coverage = report_.coverage[index_of(check)];
        if (report_.ignored.has(check)) {
            ++coverage.ignored;
        } else if (!observed) {
            ++coverage.unobserved;
        } else {
            ++coverage.evaluated;
            if (found) task.flags.add(check);
            if (found) ++report_.totals.findings[index_of(check)];
        }
    }

    void sort_tasks() {
        std::stable_sort(report_.tasks.begin(), report_.tasks.end(),
                         [](const task_report& a, const task_report& b) {
                             if (a.task.is_text() != b.task.is_text()) return b.task.is_text();
                             return a.task.as_text() < b.task.as_text();
                         });
    }

    reduced_report report_;
};

}  // namespace

reduced_report reduce(std::vector<record_batch>& batches, check_set ignored) {
    return reducer(ignored).run(batches);
}

}  // namespace gym::telemetry::health
