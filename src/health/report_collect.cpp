// SPDX-License-Identifier: Apache-2.0
#include "health/json_text.hpp"
#include "health/report.hpp"
#include "health/rollout_lines.hpp"
#include "health/row_reader.hpp"

#include <algorithm>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace gym::telemetry::health {

namespace {

// Gives out blocks of lines and takes back what was made of them, in the same order.
class shared_work {
public:
    explicit shared_work(const std::vector<std::string>& files) : source_(files) {}

    bool take(line_block& block, std::size_t& position) {
        const std::lock_guard lock(mutex_);
        if (faulty_ || !source_.next(block)) return false;
        position = batches_.size();
        batches_.emplace_back();
        return true;
    }

    void put(std::size_t position, record_batch&& batch) {
        const std::lock_guard lock(mutex_);
        // Nothing after a fault can change that the report fails.
        faulty_ = faulty_ || !batch.fault.empty();
        batches_[position] = std::move(batch);
    }

    collected_records finish() {
        collected_records collected{std::move(batches_), source_.error()};
        for (const record_batch& batch : collected.batches)
            if (collected.error.empty()) collected.error = batch.fault;
        return collected;
    }

private:
    std::mutex mutex_;
    rollout_line_source source_;
    std::vector<record_batch> batches_;
    bool faulty_ = false;
};

class record_worker {
public:
    record_worker(const std::vector<std::string>& files, check_set ignored) : evaluator_(ignored) {
        for (const std::string& file : files) paths_.push_back(plain_path(file));
    }

    void run(shared_work& work) {
        line_block block;
        std::size_t position = 0;
        while (work.take(block, position)) {
            record_batch batch;
            batch.records.reserve(block.lines.size());
            environments_.clear();
            for (const rollout_line& line : block.lines)
                if (!evaluate(line, batch)) break;
            work.put(position, std::move(batch));
        }
    }

private:
    bool evaluate(const rollout_line& line, record_batch& batch) {
        const read_outcome outcome = reader_.read_padded(line.text);
        if (outcome != read_outcome::object) {
            evaluate_unreadable(line, outcome, batch);
            return true;
        }
        const row_fields row = row_evaluator::fields_of(reader_.root());
        std::string_view fault;
        const auto identity = identity_of(row, line.ordinal, batch.texts, fault);
        if (!identity) {
            batch.fault = paths_[line.file] + ":" + std::to_string(line.number) + ": " +
                          std::string(fault) + " is neither an integer nor a string";
            return false;
        }
        const row_evaluation& evaluated = evaluator_.evaluate(row);
        batch.totals.add(evaluated);
        batch.records.push_back(make_record(
            *identity, evaluated, kept_environment(dispatch_name_of(row), batch), batch.texts));
        return true;
    }

    void evaluate_unreadable(const rollout_line& line, read_outcome outcome, record_batch& batch) {
        std::string locator;
        json_object(locator)
            .text("source_file", paths_[line.file])
            .integer("line", line.number)
            .close();
        const row_evaluation& evaluated = evaluator_.evaluate_unreadable(
            locator, outcome == read_outcome::not_json ? "JSONDecodeError" : "ValueError");
        batch.totals.add(evaluated);
        batch.records.push_back(
            make_record(unreadable_identity(line.file, line.number, batch.texts), evaluated,
                        "unknown", batch.texts));
    }

    // Most rows of a block are of a few environments, so each name is kept once a block.
    std::string_view kept_environment(std::string_view name, record_batch& batch) {
        constexpr std::size_t remembered = 32;
        for (std::string_view known : environments_)
            if (known == name) return known;
        const std::string_view kept = batch.texts.keep(name);
        if (environments_.size() < remembered) environments_.push_back(kept);
        return kept;
    }

    std::vector<std::string> paths_;
    row_reader reader_;
    row_evaluator evaluator_;
    std::vector<std::string_view> environments_;
};

}  // namespace

collected_records collect_records(const std::vector<std::string>& files, std::uint32_t workers,
                                  check_set ignored) {
    shared_work work(files);
    std::vector<std::jthread> threads;
    for (std::uint32_t i = 1; i < workers; ++i) {
        try {
            threads.emplace_back([&] { record_worker(files, ignored).run(work); });
        } catch (const std::system_error&) {
            // Fewer threads than asked for give the same report.
            break;
        }
    }
    record_worker(files, ignored).run(work);
    threads.clear();
    return work.finish();
}

std::string plain_path(std::string_view path) {
    // Two slashes at the start are kept, more are one: POSIX gives two a meaning of their own.
    std::string plain(path.substr(0, path.find_first_not_of('/')));
    if (plain.size() > 2) plain = "/";
    const std::size_t root = plain.size();
    while (!path.empty()) {
        const std::size_t slash = path.find('/');
        const std::string_view part = path.substr(0, slash);
        path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
        if (part.empty() || part == ".") continue;
        if (plain.size() > root) plain.push_back('/');
        plain.append(part);
    }
    return plain.empty() ? "." : plain;
}

std::uint32_t default_workers() {
    constexpr unsigned most = 8;
    return std::clamp(std::thread::hardware_concurrency(), 1U, most);
}

}  // namespace gym::telemetry::health
