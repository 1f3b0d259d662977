// SPDX-License-Identifier: Apache-2.0
//
// What is in force between an init and its shutdown: settings, the generation, and where it goes.
#pragma once

#include "engine/generation.hpp"
#include "export/memory.hpp"
#include "export/pipeline.hpp"
#include "handle/embedding.hpp"

#include <gym/telemetry/collection.hpp>
#include <gym/telemetry/options.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gym::telemetry::detail {

class session {
public:
    using deadline = std::chrono::steady_clock::time_point;

    // Null when nothing of it can be built; that was diagnosed then. Starts the export thread, but
    // puts nothing in force yet.
    struct parts {
        bool constant_hash = false;
        destination to = destination::exporters;
        adopted_parts adopted{};
    };
    static std::shared_ptr<session> start(const settings& config, const parts& with);

    // From now on recorders record into it and gates answer for it.
    void put_in_force();
    bool flush(deadline until) noexcept;
    // Recorders are no-ops before the last collection is made, so that it holds all there is.
    bool stop(deadline until) noexcept;
    // In a forked child, where neither the export thread nor other recording threads exist.
    void abandon_in_child() noexcept;

    const settings& config() const noexcept { return config_; }
    bool is_exporting() const noexcept {
        return pipeline_ != nullptr || !readers_.empty() || to_ != destination::exporters;
    }
    destination goes_to() const noexcept { return to_; }
    // Attributes of the Resource: one identity for all that is exported or collected of it.
    const std::vector<std::pair<std::string, std::string>>& resource() const noexcept {
        return resource_;
    }
    const std::shared_ptr<engine::generation>& source() const noexcept { return source_; }
    memory_reader* reader(int index) noexcept;
    // The collections of all memory readers, made by stop.
    const std::vector<collection>& last_collections() const noexcept { return last_; }

private:
    settings config_;
    std::vector<std::pair<std::string, std::string>> resource_;
    destination to_ = destination::exporters;
    std::shared_ptr<span_sink> adopted_spans_;
    std::shared_ptr<engine::generation> source_;
    std::vector<std::unique_ptr<memory_reader>> readers_;
    std::unique_ptr<pipeline> pipeline_;
    std::vector<collection> last_;
};

// A generation with the rows of the table, of which nothing is in force yet.
std::shared_ptr<engine::generation> make_generation(const settings& config,
                                                    const session::parts& with);

// The words of detail::control.gates for these settings.
std::uint64_t gates_of(const settings& config);

}  // namespace gym::telemetry::detail
