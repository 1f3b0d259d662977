// SPDX-License-Identifier: Apache-2.0
//
// What must hold whatever bytes stand in a ledger file or in a file of emitted records. The fuzzers
// call it with theirs, the unit tests with the corpora that are kept.
#pragma once

#include "handle/emitted_stream.hpp"
#include "otlp/json.hpp"
#include "sandbox/ledger_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

namespace gym::telemetry::test {

// A file of these bytes, in memory where there is such a folder.
class file_of_bytes {
public:
    file_of_bytes() {
        std::string name = (std::filesystem::exists("/dev/shm") ? "/dev/shm/" : "/tmp/");
        name += "gym-bytes-XXXXXX";
        folder_ = mkdtemp(name.data());
    }
    ~file_of_bytes() { std::filesystem::remove_all(folder_); }
    file_of_bytes(const file_of_bytes&) = delete;
    file_of_bytes& operator=(const file_of_bytes&) = delete;

    std::string path() const { return folder_ + "/file"; }
    void write(std::string_view bytes) const {
        std::ofstream(path(), std::ios::binary | std::ios::trunc) << bytes;
    }

private:
    std::string folder_;
};

// The bytes, and zeros up to the size of a ledger. Entries found; -1: no ledger.
inline int check_ledger(const file_of_bytes& file, std::string bytes) {
    file.write(bytes);
    const bool whole = bytes.size() >= sizeof(detail::ledger_layout);
    if (const auto read = detail::read_ledger_file(file.path()); read && !whole) std::abort();
    if (bytes.size() > sizeof(detail::ledger_layout)) return -1;
    bytes.resize(sizeof(detail::ledger_layout));
    file.write(bytes);
    const auto contents = detail::read_ledger_file(file.path());
    if (!contents) return -1;
    if (contents->owner_lives) std::abort();
    for (const auto& entry : contents->entries)
        if (entry.provider.size() > detail::ledger_provider_bytes ||
            entry.id.size() > detail::ledger_id_bytes ||
            (entry.state != detail::ledger_state::held &&
             entry.state != detail::ledger_state::orphaned))
            std::abort();
    return static_cast<int>(contents->entries.size());
}

// Records found. What a line says is written as a line that says the same, and the totals are a
// request that is OTLP, the same one again when somebody else reads the file.
inline std::int64_t check_emitted(const file_of_bytes& file, std::string_view bytes) {
    if (const auto record = detail::parse_emitted(bytes)) {
        const std::string line = line_of(*record);
        const auto again = detail::parse_emitted(std::string_view(line).substr(0, line.size() - 1));
        if (!again || line_of(*again) != line) std::abort();
    }
    file.write(bytes);
    std::string requests[2];
    std::int64_t recorded = 0;
    for (std::string& json : requests) {
        detail::emitted_stream stream(file.path(), settings{});
        const std::string_view body = stream.begin(false);
        recorded = stream.recorded();
        if (body.empty()) return 0;
        if (!otlp::append_json(otlp::metrics_request_message, body, json)) std::abort();
        stream.end(true);
    }
    if (requests[0].size() != requests[1].size()) std::abort();  // but for the time, the same
    return recorded;
}

}  // namespace gym::telemetry::test
