// SPDX-License-Identifier: Apache-2.0
//
// gymtel replay --otlp: sends what the recorders hold to a receiver. Replaying the same files again
// sends the same bytes, under the same service.instance.id, so no store counts them twice.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cli/console.hpp>
#include <cli/content_hash.hpp>

namespace gymtel {

// When a run was, as far as its files tell: seconds since the epoch.
struct run_times {
    double oldest_s = 0;  // of the positive response.created_at; 0 when no row has one
    double newest_s = 0;
    std::int64_t file_time_s = 0;  // the newest file's, for when no row tells
};

// The instance id of a run: a hash over the sorted hashes of its files' contents (uncompressed).
std::string instance_id_of(std::vector<std::string> content_hashes);

class replay_sender {
public:
    // `url` as OTEL_EXPORTER_OTLP_ENDPOINT has it: /v1/metrics is added unless it ends so. Headers,
    // compression, certificates and timeout come from the environment. Complaints go to `out`.
    replay_sender(std::string url, console& out);
    ~replay_sender();
    replay_sender(const replay_sender&) = delete;
    replay_sender& operator=(const replay_sender&) = delete;

    bool is_usable() const noexcept;

    // Collects and sends. True when the receiver took all of it, and when there is nothing to send.
    bool send(const std::string& instance_id, const run_times& times);

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

}  // namespace gymtel
