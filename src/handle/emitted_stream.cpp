// SPDX-License-Identifier: Apache-2.0
#include "handle/emitted_stream.hpp"

#include "base/clock.hpp"
#include "base/diagnostics.hpp"
#include "handle/resource.hpp"
#include "handle/session.hpp"

#include <gym/telemetry/gates.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gym::telemetry::detail {

namespace {

// What stays the same whoever sends: nothing of this process.
resource_attributes emitted_resource(const settings& config, const emitted_identity& identity) {
    settings own = config;
    own.server_name.clear();
    resource_attributes all = resource_of(own);
    std::erase_if(all, [](const auto& each) {
        return each.first == "process.pid" || each.first == "nemo.run.id";
    });
    if (!identity.run.empty()) all.emplace_back("nemo.run.id", identity.run);
    for (auto& [key, value] : all) {
        if (key == "service.instance.id") value = identity.instance;
        if (key == "host.name") value = identity.host;
    }
    return all;
}

class open_file {
public:
    explicit open_file(const std::string& path) noexcept
        : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {}
    ~open_file() {
        if (number_ >= 0) close(number_);
    }
    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;

    int number() const noexcept { return number_; }
    std::string text_from(std::int64_t offset) const {
        std::string text;
        std::array<char, 65536> part;
        for (ssize_t size = 0; (size = pread(number_, part.data(), part.size(), offset)) > 0;
             offset += size)
            text.append(part.data(), static_cast<std::size_t>(size));
        return text;
    }

private:
    int number_;
};

// This thread's place in a generation that is not in force.
class recording_block {
public:
    explicit recording_block(engine::generation& of) : of_(of), block_(of.acquire_block()) {}
    ~recording_block() { of_.release_block(block_); }
    recording_block(const recording_block&) = delete;
    recording_block& operator=(const recording_block&) = delete;
    engine::thread_block& block() const noexcept { return *block_; }

private:
    engine::generation& of_;
    engine::thread_block* block_;
};

}  // namespace

emitted_stream::emitted_stream(std::string file, const settings& config)
    : file_(std::move(file)), config_(config) {}

std::string_view emitted_stream::begin(bool last) {
    sender_.reset();
    struct stat about{};
    claimed_ = true;
    if (stat(file_.c_str(), &about) != 0) return {};  // nothing was emitted yet
    if (auto claim = emitted_sender::claim(file_)) sender_.emplace(std::move(*claim));
    claimed_ = sender_.has_value();
    if (!claimed_) return {};
    if (!read_new_lines() || recorded_ == 0 || (last && answered_to_ == read_to_)) {
        sender_.reset();
        return {};
    }
    return write_request();
}

void emitted_stream::end(bool answered) noexcept {
    if (answered) answered_to_ = read_to_;
    sender_.reset();
    if (refused_ == told_refused_) return;
    told_refused_ = refused_;
    try {
        diagnose("emitted.refused",
                 std::to_string(refused_) + " lines of '" + file_ + "' are no records", file_);
    } catch (const std::bad_alloc&) {  // not said, then
    }
}

// Somebody may have removed the file, and numbers of files are used again.
bool emitted_stream::is_the_same(int file) const {
    struct stat about{};
    if (!identity_ || fstat(file, &about) != 0 || about.st_size < read_to_) return false;
    const std::string line = line_of(*identity_);
    std::string there(line.size(), '\0');
    return pread(file, there.data(), there.size(), identity_at_) ==
               static_cast<ssize_t>(there.size()) &&
           there == line;
}

void emitted_stream::begin_anew() {
    totals_ = make_generation(config_, {});
    reader_.emplace(totals_, engine::temporalities{});
    identity_.reset();
    writer_.reset();
    read_to_ = answered_to_ = recorded_ = refused_ = 0;
}

// False when the file cannot be read, or has no identity and gets none.
bool emitted_stream::read_new_lines() {
    const open_file from(file_);
    if (from.number() < 0) return false;
    if (!is_the_same(from.number())) begin_anew();
    take_lines(from.text_from(read_to_));
    if (!identity_ && recorded_ > 0 && add_identity(file_, config_.run_id.value_or("")))
        take_lines(from.text_from(read_to_));
    return identity_.has_value();
}

// A line that is not at its end yet waits.
void emitted_stream::take_lines(std::string_view text) {
    const recording_block block(*totals_);
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
        take_line(text.substr(0, end), block.block());
        text.remove_prefix(end + 1);
        read_to_ += static_cast<std::int64_t>(end) + 1;
    }
}

void emitted_stream::take_line(std::string_view line, engine::thread_block& block) {
    if (auto identity = parse_identity(line)) {
        if (identity_) return;
        identity_ = std::move(*identity);
        identity_at_ = read_to_;
    } else if (const auto what = parse_emitted(line)) {
        record_into(*totals_, block, *what);
        ++recorded_;
    } else {
        ++refused_;
    }
}

std::string_view emitted_stream::write_request() {
    if (!writer_) writer_.emplace(make_envelope(emitted_resource(config_, *identity_)));
    engine::snapshot all = reader_->collect();
    all.start_time_ns = identity_->start_ns;
    all.time_ns = sender_->next_time_ns(std::max(wall_now_ns(), identity_->start_ns));
    for (engine::metric_snapshot& metric : all.metrics) {
        metric.start_time_ns = identity_->start_ns;
        if (!metric.instrument->self_metric) continue;
        metric.numbers.clear();
        metric.histograms.clear();
    }
    request_summary summary;
    return writer_->write(all, summary);
}

std::unique_ptr<guest_stream> make_emitted_stream(const settings& config) {
    std::string file = emitted_file_of(config, environment::of_process());
    if (file.empty() || !config.metrics_enabled) return nullptr;
    if (!(gates_of(config) >> static_cast<int>(span_group::sandbox) & 1)) {
        diagnose("emitted.off", "emitted records wait while the span group 'sandbox' is off", file);
        return nullptr;
    }
    return std::make_unique<emitted_stream>(std::move(file), config);
}

}  // namespace gym::telemetry::detail
