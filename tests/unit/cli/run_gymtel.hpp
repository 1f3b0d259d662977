// SPDX-License-Identifier: Apache-2.0
//
// Runs gymtel in a folder of its own.
#pragma once

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

namespace gymtel {

class folder {
public:
    folder() {
        std::string name = (std::filesystem::temp_directory_path() / "gymtel_XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
        path_ = name;
    }
    ~folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;

    std::filesystem::path path(const std::string& name) const { return path_ / name; }
    void write(const std::string& name, std::string_view text) const {
        std::ofstream(path(name), std::ios::binary) << text;
    }
    void append(const std::string& name, std::string_view text) const {
        std::ofstream(path(name), std::ios::binary | std::ios::app) << text;
    }
    std::string read(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

private:
    std::filesystem::path path_;
};

inline std::string gzip(std::string_view text) {
    z_stream z{};
    ::deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string out(::deflateBound(&z, text.size()) + 32, '\0');
    z.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<unsigned>(text.size());
    z.next_out = reinterpret_cast<unsigned char*>(out.data());
    z.avail_out = static_cast<unsigned>(out.size());
    ::deflate(&z, Z_FINISH);
    out.resize(z.total_out);
    ::deflateEnd(&z);
    return out;
}

// `before`, then `text` so many times, then `after`, compressed on its way to the file: this
// process must stay small, since what it forks inherits its peak of memory.
inline void write_gzip(const std::filesystem::path& path, const std::string& before,
                       const std::string& text, int times, const std::string& after) {
    const gzFile file = ::gzopen(path.c_str(), "wb1");
    const auto put = [file](const std::string& part) {
        if (!part.empty()) ::gzwrite(file, part.data(), static_cast<unsigned>(part.size()));
    };
    put(before);
    for (int i = 0; i < times; ++i) put(text);
    put(after);
    ::gzclose(file);
}

struct finished {
    int exit_code = -1;  // -1: ended by a signal
    std::string out;
    std::string err;
    long peak_rss_kib = 0;
};

// A gymtel that runs: standard output and error go to files of the folder.
class running {
public:
    running(const folder& where, std::vector<std::string> arguments, const std::string& input = {})
        : where_(where) {
        where.write("stdin", input);
        arguments.insert(arguments.begin(), GYM_TELEMETRY_BINARY_DIR "/bin/gymtel");
        child_ = ::fork();
        if (child_ != 0) return;
        if (::chdir(where.path("").c_str()) != 0) ::_exit(125);
        const int in = ::open("stdin", O_RDONLY);
        const int out = ::open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        const int err = ::open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::dup2(in, STDIN_FILENO);
        ::dup2(out, STDOUT_FILENO);
        ::dup2(err, STDERR_FILENO);
        ::unsetenv("LC_ALL");
        ::setenv("LANG", "C.UTF-8", 1);
        // Nothing of this may reach the replay.
        ::setenv("NEMO_GYM_OTEL_ENABLED", "false", 1);
        ::setenv("NEMO_GYM_OTEL_SPAN_GROUPS", "job", 1);
        std::vector<char*> argv;
        for (std::string& argument : arguments) argv.push_back(argument.data());
        argv.push_back(nullptr);
        ::execv(argv[0], argv.data());
        ::_exit(126);
    }

    void send(int signal) const { ::kill(child_, signal); }

    // How far gymtel has read the file, which it holds open while it follows it; -1: it does not,
    // or it is still at work. Only between two looks at a file may a test cut it: what is cut and
    // written again within one look cannot be told from what grew.
    long long position_in(const std::string& name) const {
        namespace fs = std::filesystem;
        const std::string process = "/proc/" + std::to_string(child_);
        std::string pid, command, state;
        std::ifstream(process + "/stat") >> pid >> command >> state;
        if (state != "S") return -1;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(process + "/fd", error)) {
            if (fs::read_symlink(entry, error) != where_.path(name)) continue;
            std::ifstream about(process + "/fdinfo/" + entry.path().filename().string());
            std::string key;
            long long position = -1;
            about >> key >> position;
            return position;
        }
        return -1;
    }

    finished wait() {
        int status = 0;
        rusage usage{};
        while (::wait4(child_, &status, 0, &usage) < 0 && errno == EINTR) {
        }
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, where_.read("stdout"),
                where_.read("stderr"), usage.ru_maxrss};
    }

private:
    const folder& where_;
    pid_t child_ = -1;
};

inline finished run_gymtel(const folder& where, std::vector<std::string> arguments,
                           const std::string& input = {}) {
    return running(where, std::move(arguments), input).wait();
}

// Waits until it holds, for at most half a minute. False when it never did.
template <class Condition>
bool eventually(Condition holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) return false;
        ::usleep(2000);
    }
    return true;
}

}  // namespace gymtel
