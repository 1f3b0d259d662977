// SPDX-License-Identifier: Apache-2.0
#include "process_received.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <opentelemetry/proto/collector/metrics/v1/metrics_service.pb.h>
#include <simdjson.h>

namespace gym::telemetry::cases {

namespace {

namespace proto = opentelemetry::proto;
using attribute_list = google::protobuf::RepeatedPtrField<proto::common::v1::KeyValue>;

constexpr int delta = proto::metrics::v1::AGGREGATION_TEMPORALITY_DELTA;

std::map<std::string, std::string> attributes_of(const attribute_list& list) {
    std::map<std::string, std::string> to;
    for (const auto& attribute : list) {
        const auto& value = attribute.value();
        if (value.has_bool_value())
            to[attribute.key()] = value.bool_value() ? "true" : "false";
        else if (value.has_int_value())
            to[attribute.key()] = std::to_string(value.int_value());
        else
            to[attribute.key()] = value.string_value();
    }
    return to;
}

// Every string anywhere in a message.
bool strings_are_utf8(const google::protobuf::Message& message) {
    const auto* reflection = message.GetReflection();
    std::vector<const google::protobuf::FieldDescriptor*> fields;
    reflection->ListFields(message, &fields);
    using field = google::protobuf::FieldDescriptor;
    for (const auto* f : fields) {
        const bool is_text = f->type() == field::TYPE_STRING;
        const bool is_message = f->cpp_type() == field::CPPTYPE_MESSAGE;
        const int count = f->is_repeated() ? reflection->FieldSize(message, f) : 1;
        for (int i = 0; i < count && (is_text || is_message); ++i) {
            if (is_message) {
                const auto& inner = f->is_repeated() ? reflection->GetRepeatedMessage(message, f, i)
                                                     : reflection->GetMessage(message, f);
                if (!strings_are_utf8(inner)) return false;
            } else {
                const std::string text = f->is_repeated()
                                             ? reflection->GetRepeatedString(message, f, i)
                                             : reflection->GetString(message, f);
                if (!simdjson::validate_utf8(text)) return false;
            }
        }
    }
    return true;
}

class reader {
public:
    explicit reader(received_data& to) : to_(to) {}

    void read(std::size_t index, const std::string& body) {
        proto::collector::metrics::v1::ExportMetricsServiceRequest request;
        if (!request.ParseFromString(body)) return note("a request is no protobuf");
        if (!strings_are_utf8(request)) note("a string is not valid UTF-8");
        base_ = {};
        base_.request = index;
        for (const auto& resource : request.resource_metrics()) {
            const auto attributes = attributes_of(resource.resource().attributes());
            const auto id = attributes.find("service.instance.id");
            base_.identity = id == attributes.end() ? std::string() : id->second;
            to_.resources[base_.identity] = attributes;
            for (const auto& scope : resource.scope_metrics())
                for (const auto& metric : scope.metrics()) add(metric);
        }
    }

private:
    void note(const std::string& problem) {
        if (to_.problem.empty()) to_.problem = problem;
    }

    void add(const proto::metrics::v1::Metric& metric) {
        base_.instrument = metric.name();
        if (metric.has_sum()) {
            base_.is_delta = metric.sum().aggregation_temporality() == delta;
            for (const auto& p : metric.sum().data_points()) add_number(p);
        } else if (metric.has_gauge()) {
            base_.is_delta = false;
            for (const auto& p : metric.gauge().data_points()) add_number(p);
        } else if (metric.has_histogram()) {
            base_.is_delta = metric.histogram().aggregation_temporality() == delta;
            for (const auto& p : metric.histogram().data_points()) {
                received_point point = begin(p);
                point.is_histogram = true;
                point.value = static_cast<double>(p.count());
                point.bounds.assign(p.explicit_bounds().begin(), p.explicit_bounds().end());
                point.buckets.assign(p.bucket_counts().begin(), p.bucket_counts().end());
                keep(std::move(point));
            }
        } else {
            note("a metric of another kind: " + metric.name());
        }
    }

    void add_number(const proto::metrics::v1::NumberDataPoint& p) {
        received_point point = begin(p);
        point.value = p.value_case() == proto::metrics::v1::NumberDataPoint::kAsInt
                          ? static_cast<double>(p.as_int())
                          : p.as_double();
        keep(std::move(point));
    }

    template <class Point>
    received_point begin(const Point& from) {
        received_point point = base_;
        point.attributes = attributes_of(from.attributes());
        point.start_ns = static_cast<std::int64_t>(from.start_time_unix_nano());
        point.time_ns = static_cast<std::int64_t>(from.time_unix_nano());
        return point;
    }

    void keep(received_point point) {
        if (point.instrument.starts_with("gym.telemetry.")) return;
        const auto provider = point.attributes.find("nemo.gym.sandbox.provider");
        if (provider != point.attributes.end() && provider->second == "probe") return;
        to_.points.push_back(std::move(point));
    }

    received_data& to_;
    received_point base_;
};

// Whether the sender was told for good that the request was not taken.
bool is_final_error(int status) {
    static const std::set<int> not_final = {0, 200, 429, 502, 503, 504};
    return !not_final.contains(status);
}

}  // namespace

std::string received_point::series() const {
    std::string to = instrument;
    for (const auto& [key, text] : attributes) {
        (to += '\0') += key;
        (to += '\0') += text;
    }
    return to;
}

std::map<std::string, double> received_data::totals() const {
    std::map<std::pair<std::string, std::string>, double> by_series;
    std::set<std::string> bodies;
    std::size_t current = SIZE_MAX;
    bool is_repetition = false;
    for (const received_point& p : points) {
        const test::received_request& request = requests[p.request];
        if (p.request != current) {
            current = p.request;
            is_repetition = !bodies.insert(request.body).second;
        }
        double& last = by_series[{p.identity, p.series()}];
        if (p.is_delta) {
            if (!is_repetition && !is_final_error(request.answered)) last += p.value;
        } else if (request.answered == 200) {
            last = p.value;
        }
    }
    std::map<std::string, double> to;
    for (const auto& [key, value] : by_series) to[key.first] += value;
    return to;
}

double received_data::total() const {
    double sum = 0;
    for (const auto& [identity, value] : totals()) sum += value;
    return sum;
}

received_data read_received(std::vector<test::received_request> requests) {
    received_data to;
    to.requests = std::move(requests);
    reader read(to);
    for (std::size_t i = 0; i < to.requests.size(); ++i)
        if (to.requests[i].path.ends_with("/v1/metrics")) read.read(i, to.requests[i].body);
    return to;
}

}  // namespace gym::telemetry::cases
