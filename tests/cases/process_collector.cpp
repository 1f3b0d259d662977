// SPDX-License-Identifier: Apache-2.0
#include "process_collector.hpp"

#include "values.hpp"

#include <algorithm>

#include <opentelemetry/proto/collector/metrics/v1/metrics_service.pb.h>

namespace gym::telemetry::cases {

namespace {

std::string partial_success_body(const json_value& from) {
    opentelemetry::proto::collector::metrics::v1::ExportMetricsServiceResponse response;
    auto* partial = response.mutable_partial_success();
    partial->set_rejected_data_points(int64_of(*from.find("rejected_data_points")));
    partial->set_error_message(text_or_empty(from.find("error_message")));
    return response.SerializeAsString();
}

std::chrono::milliseconds milliseconds_of(const json_value* value) {
    return std::chrono::milliseconds(value ? int64_of(*value) : 0);
}

}  // namespace

case_collector::case_collector(const case_file& c) {
    const json_value* collector = c.given.find("collector");
    if (collector == nullptr) return;
    main_.set_responses(responses_of(*collector));
    const bool is_closed = text_or_empty(collector->find("answer")) == "closed_port";
    if (is_closed || opens_at_) main_.close_port();
}

std::vector<test::fake_response> case_collector::responses_of(const json_value& collector) {
    std::vector<test::fake_response> to;
    if (const json_value* list = collector.find("responses")) {
        for (const json_value& item : list->items) {
            if (const json_value* refuse = item.find("refuse_for_ms"))
                opens_at_ = std::chrono::steady_clock::now() + milliseconds_of(refuse);
            else
                to.push_back(response_of(item));
        }
    } else {
        to.push_back({.delay = milliseconds_of(collector.find("delay_ms")),
                      .silent = text_or_empty(collector.find("answer")) == "never"});
    }
    return to;
}

test::fake_response case_collector::response_of(const json_value& from) {
    test::fake_response to;
    if (const json_value* status = from.find("status"))
        to.status = static_cast<int>(int64_of(*status));
    to.delay = milliseconds_of(from.find("delay_ms"));
    to.retry_after = text_or_empty(from.find("retry_after"));
    if (const json_value* ahead = from.find("retry_after_date_s"))
        to.retry_after_date = std::chrono::seconds(int64_of(*ahead));
    if (const json_value* headers = from.find("headers"))
        for (const auto& [name, value] : headers->members)
            to.headers.emplace_back(name, text_of(value));
    if (const json_value* elsewhere = from.find("location_elsewhere"))
        to.headers.emplace_back("Location", elsewhere_.url() + text_of(*elsewhere));
    if (const json_value* body = from.find("body_b64")) to.body = base64_decoded(text_of(*body));
    if (const json_value* partial = from.find("partial_success"))
        to.body = partial_success_body(*partial);
    const json_value* endless = from.find("body_endless");
    to.endless_body = endless != nullptr && endless->flag;
    if (const json_value* reset = from.find("reset_after_bytes"))
        to.reset_after_bytes = static_cast<std::size_t>(int64_of(*reset));
    to.cut = from.find("cut") != nullptr;
    return to;
}

void case_collector::tick() {
    if (!opens_at_ || std::chrono::steady_clock::now() < *opens_at_) return;
    main_.open_port();
    opens_at_.reset();
}

std::int64_t case_collector::answered() const {
    return std::ranges::count_if(main_.requests(), [](const auto& r) { return r.answered != 0; });
}

}  // namespace gym::telemetry::cases
