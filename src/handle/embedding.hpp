// SPDX-License-Identifier: Apache-2.0
//
// Telemetry as a part of somebody else's: what the bridge library starts instead of init. It is
// exported for the bridge alone, and no part of the public promise.
#pragma once

#include "engine/foreign.hpp"
#include "trace/span_queue.hpp"

#include <gym/telemetry/collection.hpp>
#include <gym/telemetry/detail/api.hpp>
#include <gym/telemetry/lifecycle.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gym::telemetry::detail {

// Where a session's records and spans go.
enum class destination : std::uint8_t {
    exporters,  // of the configuration: init
    collected,  // nowhere by themselves: somebody collects
    adopted,    // into instruments and a tracer that somebody else owns
};

// An adopted session's owner. Either may be null: that signal goes nowhere.
struct adopted_parts {
    std::shared_ptr<engine::foreign_sink> metrics;
    std::shared_ptr<span_sink> spans;
};

// Makes the parts, once it is certain that a session begins. Called without a lock; may throw, then
// telemetry stays off.
class part_maker {
public:
    virtual adopted_parts make(const settings& config) = 0;

protected:
    ~part_maker() = default;
};

// As init, with these differences: `enabled` is true unless somebody says false, exporters and
// what belongs to them do not matter, nothing is exported. A null `maker`: collected.
GYM_TELEMETRY_API telemetry& init_embedded(const options& block, part_maker* maker) noexcept;

// A reader of its own of what is in force at each collection, later generations included. Between a
// shutdown and the next init it goes on with what the last generation held. In a forked child it
// begins with nothing. Any thread, one at a time; the application's callbacks run inside.
class collection_source {
public:
    virtual ~collection_source() = default;
    virtual collection collect() = 0;
    // Of the generation collected last.
    virtual const std::vector<std::pair<std::string, std::string>>& resource() const = 0;
};
GYM_TELEMETRY_API std::unique_ptr<collection_source> make_collection_source(temporality time);

}  // namespace gym::telemetry::detail
