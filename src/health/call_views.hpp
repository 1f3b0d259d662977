// SPDX-License-Identifier: Apache-2.0
//
// Which model calls the turns and invocations of a trajectory refer to. The turn view has the
// references of turns alone, the owned view those of invocations too, each reference once.
#pragma once

#include "health/key_index.hpp"
#include "health/trajectory.hpp"

#include <cstdint>
#include <vector>

namespace gym::telemetry::health {

struct duplicated_reference {
    call_reference reference;
    std::uint32_t count = 0;
};

struct call_view {
    std::vector<std::uint32_t> matched;  // positions of calls, ascending
    std::vector<call_reference> missing;
    std::vector<duplicated_reference> duplicated;
    bool observed = false;  // has a reference

    bool complete() const { return observed && missing.empty() && duplicated.empty(); }
};

// Reused from row to row.
class call_views {
public:
    void bind(const trajectory_facts& facts);
    // As for a trajectory without references.
    void clear();

    const call_view& turn() const { return turn_; }
    const call_view& owned() const { return owned_; }

private:
    struct resolved_reference {
        call_reference reference;
        std::uint32_t hits = 0;
        std::uint32_t position = 0;
    };

    void gather(const std::vector<call_reference>& references);
    void index_calls(const trajectory_facts& facts);
    void resolve(const trajectory_facts& facts, resolved_reference& entry) const;
    void build(std::size_t count, const trajectory_facts& facts, call_view& view);

    std::vector<resolved_reference> references_;
    key_index seen_;
    key_index by_id_;
    key_index by_response_;
    std::vector<std::uint32_t> response_hits_;  // of the first call with this response
    std::vector<bool> matched_;
    call_view turn_;
    call_view owned_;
};

}  // namespace gym::telemetry::health
