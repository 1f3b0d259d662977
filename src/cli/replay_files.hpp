// SPDX-License-Identifier: Apache-2.0
//
// The files of a replay: which ones are read, and reading them to their end or as they grow.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cli/console.hpp>
#include <cli/content_hash.hpp>
#include <cli/input.hpp>
#include <cli/replay_sink.hpp>
#include <cli/run_files.hpp>
#include <rollout/line_reader.hpp>

namespace gymtel {

class replay_files {
public:
    replay_files(replay_sink& sink, console& out) : sink_(sink), out_(out) {}

    // A file that was named, and the failures file beside it. One that is there already, under
    // whatever name, is not taken again.
    void add(const std::string& path);

    // Reads each file to its end, one after the other.
    void read_all();
    // Reads what is there, then goes on as the files grow, until SIGINT or SIGTERM, or until all of
    // them are pipes that have ended.
    // `between` is called whenever all that is there has been read.
    void follow(const std::function<void()>& between);

    // Keeps a hash of each file's content as it is read, for `contents`.
    void keep_contents() noexcept { keeps_contents_ = true; }
    // Of the files that could be read, uncompressed.
    std::vector<std::string> contents() const;
    // Names of the files, in the order in which they were named.
    std::vector<std::string> paths() const;
    // Seconds since the epoch of the file that was changed last; 0 when there is none.
    std::int64_t newest_file_s() const noexcept { return newest_file_s_; }

    std::uint64_t read() const noexcept { return read_; }        // that could be read
    std::uint64_t refused() const noexcept { return refused_; }  // that could not be
    std::uint64_t damaged() const noexcept { return damaged_; }
    std::uint64_t skipped() const noexcept { return skipped_; }

private:
    struct file {
        std::string path;
        std::string name;  // as messages show it
        std::string_view outcome;
        std::uint64_t size = 0;  // when it was opened; 0 when it is no regular file
        std::pair<std::uint64_t, std::uint64_t> identity{};
        bool is_regular = false;
        bool is_done = false;
        bool is_counted = false;
        content_hash content;
        std::unique_ptr<input> bytes;
        std::unique_ptr<gym::telemetry::rollout::line_reader> lines;
    };

    bool open(const std::string& path, bool may_be_missing);
    void refuse(const std::string& name, std::string_view why);
    bool reopen(file& f);
    void start(file& f, std::size_t block);
    input::state step(file& f, bool final);
    void end(file& f, std::string_view damage);
    void drain(file& f, bool final);
    bool was_cut(const file& f) const;
    void follow_changes(file& f);
    void follow_replacement(file& f);
    void look_for_failures_files();
    bool has_input(const file& f) const;
    bool is_followable() const noexcept;

    replay_sink& sink_;
    console& out_;
    gym::telemetry::rollout::row_tools tools_;
    std::vector<std::unique_ptr<file>> files_;
    std::vector<std::string> failures_files_;  // that were not there when their run was named
    std::set<std::pair<std::uint64_t, std::uint64_t>> identities_;
    std::uint64_t read_ = 0;
    std::uint64_t refused_ = 0;
    std::uint64_t damaged_ = 0;
    std::uint64_t skipped_ = 0;
    bool keeps_contents_ = false;
    std::int64_t newest_file_s_ = 0;
    std::uint64_t bytes_done_ = 0;
    std::uint64_t bytes_total_ = 0;
};

}  // namespace gymtel
