// SPDX-License-Identifier: Apache-2.0
#include <gym/telemetry/constants.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <cli/replay_files.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gymtel {

namespace rollout = gym::telemetry::rollout;

namespace {

// "-" is standard input. Null when it cannot be opened; errno says why.
std::unique_ptr<input> open_input(const std::string& path, struct stat& about) {
    const int fd = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return nullptr;
    auto opened = std::make_unique<input>(fd);
    return ::fstat(fd, &about) == 0 ? std::move(opened) : nullptr;
}

}  // namespace

void replay_files::refuse(const std::string& name, std::string_view why) {
    ++refused_;
    out_.complain(fmt::format("{}: {}", name, why));
}

void replay_files::add(const std::string& path) {
    if (role_of(path) == file_role::no_rollouts) {
        ++skipped_;
        out_.complain(fmt::format("{}: skipped, it holds no rollouts", path));
        return;
    }
    open(path, false);
    const std::string failures = path == "-" ? std::string() : failures_file_of(path);
    if (!failures.empty() && !open(failures, true)) failures_files_.push_back(failures);
}

// False only when the file is missing and may be.
bool replay_files::open(const std::string& path, bool may_be_missing) {
    const bool is_stdin = path == "-";
    auto f = std::make_unique<file>();
    f->path = path;
    f->name = is_stdin ? "<stdin>" : path;
    f->outcome = role_of(path) == file_role::failed ? gym::telemetry::outcome::failed
                                                    : gym::telemetry::outcome::scored;
    struct stat about{};
    auto bytes = open_input(path, about);
    if (bytes == nullptr) {
        if (may_be_missing && errno == ENOENT) return false;
        refuse(f->name, std::strerror(errno));
        return true;
    }
    f->identity = {about.st_dev, about.st_ino};
    f->is_regular = S_ISREG(about.st_mode);
    // A run may have more files than a process may hold open: they are opened again when their turn
    // comes. What cannot be opened twice is held.
    if (is_stdin || !f->is_regular) f->bytes = std::move(bytes);
    if (f->is_regular) f->size = static_cast<std::uint64_t>(about.st_size);
    if (!identities_.insert(f->identity).second) return true;
    newest_file_s_ = std::max<std::int64_t>(newest_file_s_, about.st_mtime);
    bytes_total_ += f->size;
    files_.push_back(std::move(f));
    return true;
}

std::vector<std::string> replay_files::contents() const {
    std::vector<std::string> hashes;
    for (const auto& f : files_)
        if (f->is_counted) hashes.push_back(f->content.text());
    return hashes;
}

std::vector<std::string> replay_files::paths() const {
    std::vector<std::string> result;
    for (const auto& f : files_) result.push_back(f->path);
    return result;
}

bool replay_files::reopen(file& f) {
    struct stat about{};
    f.bytes = open_input(f.path, about);
    if (f.bytes == nullptr) return false;
    f.identity = {about.st_dev, about.st_ino};  // another file may have taken the name
    identities_.insert(f.identity);
    return true;
}

// A file that is no longer there is done with it.
void replay_files::start(file& f, std::size_t block) {
    if (f.bytes == nullptr && !reopen(f)) {
        refuse(f.name, std::strerror(errno));
        f.is_done = true;
        return;
    }
    f.lines = std::make_unique<rollout::line_reader>(tools_, block);
}

// The damage is told once: with the line that it tore, if there is one.
void replay_files::end(file& f, std::string_view damage) {
    const std::uint64_t rejected_before = sink_.rejected();
    // What stands before the colon is the line's own reason.
    const std::string_view note = damage.substr(damage.find(' ') + 1);
    sink_.begin_file(f.name, f.outcome, note);
    f.lines->finish(sink_);
    if (!damage.empty()) {
        ++damaged_;
        if (sink_.rejected() == rejected_before)
            out_.complain(fmt::format("{}: {}", f.name, damage));
    }
    f.is_done = true;
    f.bytes.reset();
    f.lines.reset();
}

// Reads a piece. What it returns is not `some` when there is no more, for now or for good.
input::state replay_files::step(file& f, bool final) {
    const std::span<char> room = f.lines->room();
    const input::outcome got = f.bytes->read(room, final);
    if (keeps_contents_) f.content.add({room.data(), got.bytes});
    if (got.is == input::state::refused) {
        refuse(f.name, f.bytes->problem());
        f.is_done = true;
        f.bytes.reset();
        f.lines.reset();
        return got.is;
    }
    if (!f.is_counted) {
        f.is_counted = true;
        ++read_;
    }
    if (got.bytes > 0) {
        sink_.begin_file(f.name, f.outcome);
        f.lines->added(got.bytes, sink_);
    }
    if (got.is == input::state::damaged) end(f, std::string(f.bytes->problem()));
    return got.is;
}

void replay_files::drain(file& f, bool final) {
    input::state is = input::state::some;
    while (is == input::state::some && (final || has_input(f))) {
        is = step(f, final);
        if (!f.is_done) out_.progress(bytes_done_ + f.bytes->offset(), bytes_total_);
    }
    if (is == input::state::at_end && (final || !f.is_regular)) end(f, {});
}

void replay_files::read_all() {
    for (const auto& f : files_) {
        start(*f, rollout::block_bytes);
        if (!f->is_done) drain(*f, true);
        bytes_done_ += f->size;
        out_.flush_complaints();
    }
    out_.clear_progress();
}

}  // namespace gymtel
