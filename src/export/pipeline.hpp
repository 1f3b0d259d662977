// SPDX-License-Identifier: Apache-2.0
//
// The export loop: one thread that collects and sends, to one exporter or several.
//
//     auto pipeline = pipeline::start({.config = settings, .resource = ..., .source = generation,
//                                      .metrics = true, .traces = true});
//     pipeline->flush(deadline);
//     pipeline->shutdown(deadline);
#pragma once

#include "engine/generation.hpp"
#include "export/guest_stream.hpp"

#include <gym/telemetry/options.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gym::telemetry::detail {

// Where the loop reports to, once for each request whose end is known. Called on the export thread.
struct export_self_metrics {
    // `outcome` is ok, partial, rejected or failed; `wall_seconds` the time of the end, since the
    // epoch.
    void (*exported)(std::string_view exporter, std::string_view outcome, double duration_ms,
                     std::int64_t rejected, double wall_seconds) noexcept = nullptr;
    void (*spooled)(double bytes) noexcept = nullptr;
};

struct pipeline_options {
    settings config{};
    // Attributes of the Resource, service.name and service.instance.id among them.
    std::vector<std::pair<std::string, std::string>> resource{};
    std::shared_ptr<engine::generation> source{};
    std::unique_ptr<guest_stream> guest{};  // null: none
    bool metrics = true;
    bool traces = true;
    export_self_metrics self{};
};

// To be called first in init, before the exit handler is registered that shuts down: libraries
// below register clean-ups of their own here, and those must run after the last export.
void prepare_transports() noexcept;

class pipeline {
public:
    // Builds the exporters of config.exporters (otlp, file, console; others are not its business)
    // and starts the thread. Never throws: null and a diagnostic when none can be built.
    static std::unique_ptr<pipeline> start(pipeline_options options) noexcept;

    // Collects and exports now, waits for the answer. True when every exporter answered with
    // success. Any thread.
    bool flush(std::chrono::steady_clock::time_point deadline) noexcept;

    // Exports for the last time, if a point other than the self-metrics changed since the last
    // answered export or spans wait; what cannot be sent goes to the spool. Ends the thread. True
    // when nothing was left unsent. Any thread; a second call returns what the first one did.
    bool shutdown(std::chrono::steady_clock::time_point deadline) noexcept;

    // Ends the thread without a last export.
    ~pipeline();
    pipeline(const pipeline&) = delete;
    pipeline& operator=(const pipeline&) = delete;

    // After fork(), in the child, where the thread does not exist: closes the connections that were
    // inherited and forgets the rest, since it may be locked. Nothing else may be called but the
    // destructor, which then does nothing.
    void abandon_in_child() noexcept;

private:
    class core;
    explicit pipeline(std::shared_ptr<core> made) noexcept : core_(std::move(made)) {}

    std::shared_ptr<core> core_;
};

}  // namespace gym::telemetry::detail
