// SPDX-License-Identifier: Apache-2.0
#include "health/report.hpp"

#include "health/json_text.hpp"
#include "health/report_files.hpp"
#include "health/report_reduce.hpp"
#include "health/report_text.hpp"

#include <gym/telemetry/health.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <stdio.h>

namespace gym::telemetry {

namespace {

using namespace health;

constexpr std::string_view summary_name = "quality_summary.json";
constexpr std::string_view verdicts_name = "rollout_verdicts.jsonl";
constexpr std::size_t write_bytes = std::size_t{1} << 20;

std::string with_reason(const std::string& path) {
    return path + ": " + std::strerror(errno);
}

// Written beside its place and moved there when it is whole, so that no reader ever sees half of
// a report. What was not moved is removed.
class report_file {
public:
    explicit report_file(std::string path)
        : path_(std::move(path)),
          temporary_(path_ + ".tmp"),
          file_(::fopen(temporary_.c_str(), "we")) {}
    ~report_file() {
        if (file_ != nullptr) ::fclose(file_);
        if (!moved_ && opened_) ::remove(temporary_.c_str());
    }
    report_file(const report_file&) = delete;
    report_file& operator=(const report_file&) = delete;

    bool write(std::string_view text) {
        if (file_ == nullptr) return false;
        opened_ = true;
        return ::fwrite(text.data(), 1, text.size(), file_) == text.size();
    }
    bool close() {
        opened_ = file_ != nullptr;
        return file_ != nullptr && ::fclose(std::exchange(file_, nullptr)) == 0;
    }
    bool move() {
        moved_ = ::rename(temporary_.c_str(), path_.c_str()) == 0;
        return moved_;
    }
    const std::string& path() const { return path_; }

private:
    std::string path_;
    std::string temporary_;
    FILE* file_;
    bool opened_ = false;
    bool moved_ = false;
};

bool write_verdicts(report_file& file, const reduced_report& reduced) {
    std::string lines;
    for (const report_record* record : reduced.records) {
        append_verdict_line(lines, *record);
        if (lines.size() < write_bytes) continue;
        if (!file.write(lines)) return false;
        lines.clear();
    }
    return file.write(lines) && file.close();
}

// Empty, or why the files could not be written.
std::string write_files(const reduced_report& reduced, const health_report& report) {
    report_file summary(report.summary_path);
    report_file verdicts(report.verdicts_path);
    if (!summary.write(summary_json(reduced, json_style::indented)) || !summary.close())
        return with_reason(summary.path());
    if (!write_verdicts(verdicts, reduced)) return with_reason(verdicts.path());
    if (!summary.move()) return with_reason(summary.path());
    if (!verdicts.move()) return with_reason(verdicts.path());
    return "";
}

std::string refusal_of(const health_report_options& options, const parsed_ignored_checks& ignored) {
    if (options.files.empty()) return "at least one rollout JSONL path is required";
    if (!ignored.unknown.empty()) {
        std::string names;
        for (const std::string& id : ignored.unknown) names += (names.empty() ? "" : ", ") + id;
        return "Unknown rollout health check(s): " + names;
    }
    if (options.workers == 0U) return "workers must be at least 1";
    for (const std::string& file : options.files) {
        std::error_code error;
        if (!std::filesystem::is_regular_file(file, error))
            return "Rollout JSONL not found: " + plain_path(file);
    }
    return "";
}

bool sums_writable(const report_totals& totals) {
    return !totals.beyond_64_bits && writable_integer(totals.prompt) &&
           writable_integer(totals.completion) && writable_integer(totals.capture_prompt) &&
           writable_integer(totals.capture_completion);
}

std::string report_folder(const health_report_options& options) {
    if (!options.output_folder.empty()) return plain_path(options.output_folder);
    const std::string first = plain_path(options.files.front());
    const std::size_t slash = first.rfind('/');
    if (slash == std::string::npos) return ".";
    return first.substr(0, slash == 0 ? 1 : slash);
}

std::string in_folder(const std::string& folder, std::string_view name) {
    return plain_path(folder + "/" + std::string(name));
}

void describe(const reduced_report& reduced, health_report& report) {
    report.summary_json = summary_json(reduced, json_style::compact);
    report.text = report_text(reduced, report.summary_path);
    report.records = reduced.totals.records;
    report.healthy = reduced.verdicts[0];
    report.unhealthy = reduced.verdicts[1];
    report.unobserved = reduced.verdicts[2];
    report.findings = reduced.totals.findings;
}

health_report make_report(const health_report_options& options) {
    health_report report;
    const parsed_ignored_checks ignored = parse_ignored_checks(options.ignored_checks);
    report.error = refusal_of(options, ignored);
    if (!report.error.empty()) return report;
    collected_records collected =
        collect_records(options.files, options.workers.value_or(default_workers()), ignored.checks);
    report.error = collected.error;
    if (!report.error.empty()) return report;
    const reduced_report reduced = reduce(collected.batches, ignored.checks);
    if (!sums_writable(reduced.totals)) {
        report.error = "an index or a sum is outside 64 bits";
        return report;
    }
    const std::string folder = report_folder(options);
    report.summary_path = in_folder(folder, summary_name);
    report.verdicts_path = in_folder(folder, verdicts_name);
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    report.error = error ? folder + ": " + error.message() : write_files(reduced, report);
    if (report.error.empty()) describe(reduced, report);
    return report;
}

}  // namespace

health_report run_health_report(const health_report_options& options) {
    return make_report(options);
}

}  // namespace gym::telemetry
