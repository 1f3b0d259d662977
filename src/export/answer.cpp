// SPDX-License-Identifier: Apache-2.0
#include "export/answer.hpp"

#include "base/diagnostics.hpp"
#include "otlp/response.hpp"

namespace gym::telemetry::detail {

std::string_view name_of(signal_kind signal) noexcept {
    return signal == signal_kind::metrics ? "metrics" : "traces";
}

std::string complaint_about(signal_kind signal, std::string_view shown_url, std::string_view what) {
    return "otlp: " + std::string(name_of(signal)) + " to " + std::string(shown_url) + ": " +
           std::string(what);
}

outcome read_success(shipment& what, std::string_view body, std::string_view shown_url) {
    const auto partial = otlp::read_partial_success(body);
    if (partial && partial->rejected > 0) {
        what.rejected = partial->rejected;
        diagnose("export.rejected_points",
                 complaint_about(what.signal, shown_url,
                                 "the receiver rejected " + std::to_string(partial->rejected) +
                                     " points: " + partial->message),
                 name_of(what.signal));
        return outcome::partial;
    }
    if (partial && !partial->message.empty())
        diagnose("export.warning",
                 complaint_about(what.signal, shown_url, "the receiver warns: " + partial->message),
                 name_of(what.signal));
    return outcome::ok;
}

}  // namespace gym::telemetry::detail
