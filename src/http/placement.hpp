// SPDX-License-Identifier: Apache-2.0
//
// Which of a loop's curl multi handles ("shards") a request goes to. curl looks for a free
// connection among all of a host's one by one, which at 1,000 of them costs more than the request
// itself; spread over shards each search is short. A request must then go where a kept connection
// of its origin waits: this knows. A wrong guess costs a connect, nothing else. No curl in here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gym::telemetry::http {

// One thread.
class placement {
public:
    struct origin;

    // Where a request is, from take() to give_back().
    struct place {
        origin* to = nullptr;
        std::uint16_t shard = 0;
        bool expected = false;  // a connection of its own that is not open yet
    };

    // Another shard is begun when each has `connections_each`.
    explicit placement(std::int64_t connections_each);

    // Where the connection that was used last is kept, else the shard with the fewest connections
    // of the first `shards_max`, at least 1.
    place take(const std::string& origin, std::size_t shards_max);
    void give_back(place from);

    // A socket was opened for the request at `by`.
    void opened(int fd, place& by);
    // It was closed, or its peer has hung up while nobody used it.
    void lost(int fd) noexcept;

    // Shards begun; they are numbered from 0.
    std::size_t shards() const noexcept { return connections_.size(); }
    // With those that are expected, and without.
    std::int64_t connections(std::size_t shard) const noexcept { return connections_[shard]; }
    std::int64_t open(std::size_t shard) const noexcept { return open_[shard]; }
    // Of all shards: connections that no request uses.
    std::int64_t idle() const noexcept { return all_open_ - (all_busy_ - all_expected_); }
    std::size_t origins() const noexcept { return origins_.size(); }

private:
    struct name_hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const noexcept {
            return std::hash<std::string_view>()(name);
        }
    };
    struct socket {
        origin* to = nullptr;  // null: not one that counts
        std::uint16_t shard = 0;
    };

    origin& origin_of(const std::string& name);
    void drop_unused_origins();
    std::uint16_t emptiest(std::size_t shards_max);

    std::int64_t connections_each_;
    std::vector<std::int64_t> connections_;  // by shard, with those that are expected
    std::vector<std::int64_t> open_;         // by shard
    std::vector<socket> sockets_;            // by descriptor
    std::unordered_map<std::string, origin, name_hash, std::equal_to<>> origins_;
    std::size_t sweep_at_;
    std::int64_t all_open_ = 0;
    std::int64_t all_busy_ = 0;  // requests
    std::int64_t all_expected_ = 0;
};

// What is known of one origin's connections.
struct placement::origin {
    struct at_shard {
        std::int32_t open = 0;
        std::int32_t busy = 0;  // requests
    };
    std::vector<at_shard> at;
    // Shards with a kept connection, the one used last at the end. An entry whose connection was
    // lost meanwhile is passed over; there are never more than requests were under way at a time.
    std::vector<std::uint16_t> kept;
    std::int64_t open = 0;
    std::int64_t busy = 0;
};

}  // namespace gym::telemetry::http
