// SPDX-License-Identifier: Apache-2.0
#include "export/export_stream.hpp"

#include "base/diagnostics.hpp"

#include <algorithm>
#include <utility>

namespace gym::telemetry::detail {

export_stream::export_stream(options from)
    : to_(std::move(from.to)),
      delta_(from.time.counter == temporality::delta || from.time.histogram == temporality::delta ||
             from.time.observable_counter == temporality::delta),
      writer_(std::move(from.envelope)) {
    if (from.source != nullptr) reader_.emplace(std::move(from.source), from.time);
}

void export_stream::add_spans(std::shared_ptr<const std::string> request) {
    if (spans_.size() >= waiting_span_requests_max) {
        spans_.pop_front();
        diagnose("trace.dropped", std::string(to_->name()) +
                                      ": spans cannot be exported fast enough; some are dropped");
    }
    spans_.push_back(std::move(request));
}

bool export_stream::run(const export_limits& limits, bool last, const reporter& report) {
    const bool caught_up = send_frozen(limits, report);
    // Delta: what came since waits for the next batch, unless there is none to come.
    if (!caught_up && !last) return false;
    return send_new(limits, last, report) && caught_up;
}

bool export_stream::send_frozen(const export_limits& limits, const reporter& report) {
    if (frozen_.empty()) return true;
    shipment batch{.signal = signal_kind::metrics, .body = frozen_};
    send({&batch, 1}, limits, report);
    if (!is_answered(batch.result)) return false;
    frozen_.clear();
    return batch.result != outcome::rejected;
}

bool export_stream::send_new(const export_limits& limits, bool last, const reporter& report) {
    request_summary summary;
    const std::string_view metrics = collect(last, summary);
    std::vector<shipment> shipments;
    // A receiver that did not answer the batch before will not answer this one either.
    const bool hopeless = !frozen_.empty();
    if (!metrics.empty()) shipments.push_back({.signal = signal_kind::metrics, .body = metrics});
    const std::size_t first_span = shipments.size();
    for (const auto& request : spans_)
        shipments.push_back({.signal = signal_kind::traces, .body = *request});
    if (shipments.empty()) return true;
    if (!hopeless) send(shipments, limits, report);
    if (first_span != 0) settle_metrics(shipments.front(), summary, last);
    drop_answered_spans(shipments, first_span);
    return std::ranges::all_of(shipments, [](const shipment& s) {
        return s.result == outcome::ok || s.result == outcome::partial;
    });
}

// The bytes of the request; empty when there is nothing to send.
std::string_view export_stream::collect(bool last, request_summary& summary) {
    if (!reader_) return {};
    const std::string_view body = writer_.write(reader_->collect(), summary);
    if (!last) return body;
    const bool changed =
        summary.has_delta || (summary.gym_points != 0 && answered_ != summary.fingerprint);
    return changed ? body : std::string_view();
}

void export_stream::send(std::span<shipment> what, const export_limits& limits,
                         const reporter& report) {
    to_->send(what, limits);
    for (const shipment& s : what) report(to_->name(), s);
}

void export_stream::settle_metrics(const shipment& sent, const request_summary& summary,
                                   bool last) {
    if (is_answered(sent.result))
        answered_ = summary.fingerprint;
    else if (last)
        unsent_ = sent.body;
    else if (delta_)
        frozen_ = sent.body;
    // Cumulative: the next collection makes it good.
}

void export_stream::drop_answered_spans(std::span<const shipment> sent, std::size_t first) {
    std::deque<std::shared_ptr<const std::string>> left;
    for (std::size_t i = first; i < sent.size(); ++i)
        if (!is_answered(sent[i].result)) left.push_back(spans_[i - first]);
    spans_ = std::move(left);
}

std::vector<export_stream::unsent> export_stream::take_unsent() {
    std::vector<unsent> all;
    for (std::string* metrics : {&frozen_, &unsent_})
        if (!metrics->empty()) all.push_back({signal_kind::metrics, std::move(*metrics)});
    for (const auto& request : spans_) all.push_back({signal_kind::traces, *request});
    frozen_.clear();
    unsent_.clear();
    spans_.clear();
    return all;
}

}  // namespace gym::telemetry::detail
