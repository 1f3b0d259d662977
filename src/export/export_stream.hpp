// SPDX-License-Identifier: Apache-2.0
//
// One exporter and what it has been sent: its reader, the batch whose answer is unknown, and spans.
// Export thread only, but for what exporter.hpp says.
#pragma once

#include "engine/reader.hpp"
#include "export/exporter.hpp"
#include "export/metrics_request.hpp"

#include <gym/telemetry/trace.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gym::telemetry::detail {

// Requests of spans that wait for an exporter that does not answer. The oldest go first.
inline constexpr std::size_t waiting_span_requests_max = 8;

class export_stream {
public:
    struct options {
        std::unique_ptr<exporter> to;
        std::shared_ptr<engine::generation> source;  // null: no metrics
        engine::temporalities time;
        request_envelope envelope;
    };
    explicit export_stream(options from);

    // A request of spans for this exporter, shared by all.
    void add_spans(std::shared_ptr<const std::string> request);

    // Collects and sends. `last` sends metrics only if a point that is no self-metric changed since
    // the last answered export. True when all of it was taken.
    bool run(const export_limits& limits, bool last,
             const std::function<void(std::string_view, const shipment&)>& report);

    // What run() could not send, each a request: for the spool.
    struct unsent {
        signal_kind signal;
        std::string body;
    };
    // Empties the stream. Afterwards only the destructor may be called.
    std::vector<unsent> take_unsent();

    exporter& to() noexcept { return *to_; }

private:
    using reporter = std::function<void(std::string_view, const shipment&)>;

    bool send_frozen(const export_limits& limits, const reporter& report);
    bool send_new(const export_limits& limits, bool last, const reporter& report);
    std::string_view collect(bool last, request_summary& summary);
    void send(std::span<shipment> what, const export_limits& limits, const reporter& report);
    void drop_answered_spans(std::span<const shipment> sent, std::size_t first);
    void settle_metrics(const shipment& sent, const request_summary& summary, bool last);

    std::unique_ptr<exporter> to_;
    std::optional<engine::reader> reader_;
    bool delta_;
    metrics_request_writer writer_;
    // Delta: a batch that was sent and not answered. The same bytes are sent until it is.
    std::string frozen_;
    std::string unsent_;                     // of the last run
    std::optional<std::uint64_t> answered_;  // fingerprint
    std::deque<std::shared_ptr<const std::string>> spans_;
};

}  // namespace gym::telemetry::detail
