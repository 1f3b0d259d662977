// SPDX-License-Identifier: Apache-2.0
#include "handle/emitted_file.hpp"

#include "base/clock.hpp"
#include "handle/resource.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gym::telemetry::detail {

namespace {

constexpr std::string_view identity_mark = "#stream ";

// Open, and locked against others that add.
class locked_file {
public:
    explicit locked_file(const std::string& path) noexcept
        : number_(open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
        if (number_ < 0) return;
        while (flock(number_, LOCK_EX) != 0 && errno == EINTR) {
        }
    }
    ~locked_file() {
        if (number_ >= 0) close(number_);
    }
    locked_file(const locked_file&) = delete;
    locked_file& operator=(const locked_file&) = delete;

    bool is_open() const noexcept { return number_ >= 0; }
    std::int64_t size() const noexcept {
        struct stat about{};
        return fstat(number_, &about) == 0 ? about.st_size : 0;
    }
    // A writer may have been killed in the middle of a line.
    bool ends_in_a_line() const noexcept {
        char last = '\n';
        const std::int64_t end = size();
        return end == 0 || pread(number_, &last, 1, end - 1) != 1 || last == '\n';
    }
    // All of it or nothing.
    bool add(std::string_view text) const noexcept {
        const std::int64_t before = size();
        const ssize_t written = write(number_, text.data(), text.size());
        if (written == static_cast<ssize_t>(text.size())) return true;
        const int why = errno;
        if (written > 0) static_cast<void>(ftruncate(number_, before));
        errno = written > 0 ? ENOSPC : why;
        return false;
    }

private:
    int number_;
};

error io_error(const std::string& file) {
    return {errc::io, "cannot append to '" + file + "': " + std::generic_category().message(errno)};
}

emitted_identity make_identity(std::string_view run) {
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) != 0 || host[0] == 0) host[0] = '-';
    emitted_identity made{make_instance_id(), system_wall_ns(), host.data(), std::string(run)};
    // One line it must be, whatever a variable holds.
    std::ranges::replace_if(made.run, [](unsigned char c) { return c < ' '; }, '_');
    return made;
}

std::string first_of(const environment& variables, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
        if (auto value = variables.get(name)) return std::move(*value);
    return {};
}

std::string state_folder(const environment& variables) {
    // The XDG specification has relative paths ignored.
    if (const auto state = variables.get("XDG_STATE_HOME"); state && state->starts_with('/'))
        return *state + "/gym-telemetry";
    const auto home = variables.get("HOME");
    return home ? *home + "/.local/state/gym-telemetry" : std::string();
}

std::string file_in(const std::string& folder, std::string run) {
    if (folder.empty()) return {};
    std::ranges::replace(run, '/', '_');
    return folder + "/emitted" + (run.empty() ? "" : "-") + run + ".records";
}

}  // namespace

std::string line_of(const emitted_identity& identity) {
    return std::string(identity_mark) + identity.instance + ' ' +
           std::to_string(identity.start_ns) + ' ' + identity.host + ' ' + identity.run + '\n';
}

std::optional<emitted_identity> parse_identity(std::string_view line) {
    if (!line.starts_with(identity_mark)) return std::nullopt;
    line.remove_prefix(identity_mark.size());
    std::array<std::string_view, 3> words;
    for (std::string_view& each : words) {
        const std::size_t end = line.find(' ');
        if (end == 0 || end == line.npos) return std::nullopt;
        each = line.substr(0, end);
        line.remove_prefix(end + 1);
    }
    const auto start_ns = parse_integer(words[1]);
    if (!start_ns || *start_ns <= 0) return std::nullopt;
    return emitted_identity{std::string(words[0]), *start_ns, std::string(words[2]),
                            std::string(line)};
}

std::string emitted_file_of(const environment& variables) {
    const auto spool = first_of(variables, {"NEMO_GYM_OTEL_SPOOL", "NEMO_LENS_SPOOL"});
    return file_in(spool.empty() ? state_folder(variables) : spool, run_of(variables));
}

std::string run_of(const environment& variables) {
    return first_of(variables, {"NEMO_GYM_OTEL_RUN_ID", "NEMO_LENS_RUN_ID", "SLURM_JOB_ID"});
}

std::string emitted_file_of(const settings& config, const environment& variables) {
    const std::string_view setting = trim(config.emitted);
    if (setting.empty()) return {};
    const std::optional<bool> flag = parse_boolean(setting);
    if (!flag) return std::string(setting);
    if (!*flag) return {};
    return file_in(config.spool.empty() ? state_folder(variables) : config.spool,
                   config.run_id.value_or(""));
}

result<bool> append_emitted(const std::string& file, const emitted_record& record,
                            std::string_view run) {
    std::error_code code;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path(), code);
    const locked_file to(file);
    if (!to.is_open()) return io_error(file);
    if (to.size() >= emitted_bytes_max)
        return {errc::limit, "'" + file + "' is full (64 MiB): give each run a run id"};
    const std::string begin = to.size() == 0 ? line_of(make_identity(run)) : std::string();
    const std::string_view end_of_torn_line = to.ends_in_a_line() ? "" : "\n";
    if (!to.add(begin + std::string(end_of_torn_line) + line_of(record))) return io_error(file);
    return true;
}

result<bool> add_identity(const std::string& file, std::string_view run) {
    const locked_file to(file);
    if (!to.is_open()) return io_error(file);
    const std::string_view end_of_torn_line = to.ends_in_a_line() ? "" : "\n";
    if (!to.add(std::string(end_of_torn_line) + line_of(make_identity(run)))) return io_error(file);
    return true;
}

}  // namespace gym::telemetry::detail
