// SPDX-License-Identifier: Apache-2.0
//
// How often pools were asked for a connection, by destination: counts of the process, not of a
// pool, so that gym.http.connection_pool.connect_total only ever grows while pools come and go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gym::telemetry::http {

// Destinations that are counted by name. Names come from a configuration, so this is far beyond
// what a run has; the ones after it are counted together.
inline constexpr std::size_t connect_destinations_max = 16384;
inline constexpr std::string_view other_destinations = "other";

// Counts belong to one generation of telemetry (the time between an init and its shutdown): the
// first count in a new one begins at zero and registers the callback there. So a process that is
// initialised again, and a forked child, repeat nothing of what was reported before. Any thread.
class connect_counts {
public:
    // Registers the callback with the generation in force, once. Nothing while telemetry is off.
    void attach() noexcept;
    // One more. Nothing while telemetry is off, like every recorder.
    void add(std::string_view destination);
    // What the callback hands over: empty when the counts are those of a generation that is over.
    std::vector<std::pair<std::string, std::int64_t>> snapshot() const;

    // Around fork(), so that no child inherits a lock that nobody will open.
    void before_fork() { lock_.lock(); }
    void after_fork() { lock_.unlock(); }

private:
    struct name_hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const noexcept {
            return std::hash<std::string_view>()(name);
        }
    };

    // With the lock held: whether the counts are those of the generation in force.
    bool is_current() const;

    mutable std::mutex lock_;
    std::uint64_t generation_ = 0;
    std::unordered_map<std::string, std::int64_t, name_hash, std::equal_to<>> counts_;
};

// The one of the process. Never destroyed.
connect_counts& process_counts() noexcept;

}  // namespace gym::telemetry::http
