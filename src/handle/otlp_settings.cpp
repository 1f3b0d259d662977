// SPDX-License-Identifier: Apache-2.0
#include "handle/otlp_settings.hpp"

#include "base/url.hpp"
#include "export/grpc_transport.hpp"
#include "handle/setting_value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gym::telemetry::detail {
namespace {

constexpr std::string_view general = "OTEL_EXPORTER_OTLP_";
constexpr std::string_view default_protocol = "http/protobuf";
constexpr std::string_view default_grpc_endpoint = "http://localhost:4317";

// The specification has 0 stand for no limit and allows a very long time for that.
constexpr std::int64_t no_limit_ms = 2'147'483'647;

struct signal_names {
    std::string_view prefix;  // of the signal's own variables
    std::string_view path;    // behind the general endpoint
};
constexpr signal_names metrics_names{"OTEL_EXPORTER_OTLP_METRICS_", "v1/metrics"};
constexpr signal_names traces_names{"OTEL_EXPORTER_OTLP_TRACES_", "v1/traces"};

std::string variable(std::string_view prefix, std::string_view name) {
    return std::string(prefix) + std::string(name);
}

// The name under which the general value was given: the variable, or else the key of the block.
std::string origin(const environment& variables, std::string_view name, std::string_view key) {
    const std::string general_variable = variable(general, name);
    return variables.is_set(general_variable) ? general_variable : std::string(key);
}

// One pass over the variables. Each function takes the value that stands when the variable is unset
// or cannot be read.
class otlp_resolver {
public:
    otlp_resolver(settings& resolved, const options& block, const environment& variables,
                  bool in_use)
        : resolved_(resolved), block_(block), variables_(variables), in_use_(in_use) {}

    void resolve();

private:
    std::string text(std::string_view prefix, std::string_view name, std::string otherwise) const;
    std::string compression(std::string_view prefix, std::string otherwise) const;
    bool insecure(std::string_view prefix, bool otherwise) const;
    std::int64_t timeout_ms(std::string_view prefix, std::int64_t otherwise) const;
    std::string protocol(std::string_view prefix, std::string otherwise) const;
    std::string usable_protocol(const std::string& name, const std::string& given,
                                std::string_view otherwise) const;
    std::string endpoint(const signal_names& names, const otlp_signal& signal, bool on) const;
    otlp_signal resolve_signal(const signal_names& names, bool on) const;
    bool has_endpoint() const;

    settings& resolved_;
    const options& block_;
    const environment& variables_;
    const bool in_use_;
};

std::string otlp_resolver::text(std::string_view prefix, std::string_view name,
                                std::string otherwise) const {
    return variables_.get(variable(prefix, name)).value_or(std::move(otherwise));
}

std::string otlp_resolver::compression(std::string_view prefix, std::string otherwise) const {
    const std::string name = variable(prefix, "COMPRESSION");
    const std::optional<std::string> given = variables_.get(name);
    if (!given) return otherwise;
    std::string lowered = to_lower(*given);
    if (lowered == "gzip" || lowered == "none") return lowered;
    complain_unreadable(name, *given, "a compression (gzip, none)", otherwise);
    return otherwise;
}

// Of an endpoint without a scheme, which only gRPC takes.
bool otlp_resolver::insecure(std::string_view prefix, bool otherwise) const {
    const std::string name = variable(prefix, "INSECURE");
    const std::optional<std::string> given = variables_.get(name);
    if (!given) return otherwise;
    const std::string lowered = to_lower(*given);
    if (lowered != "true" && lowered != "false")
        complain_unreadable(name, *given, "true or false", "false");
    return lowered == "true";
}

std::int64_t otlp_resolver::timeout_ms(std::string_view prefix, std::int64_t otherwise) const {
    const std::string name = variable(prefix, "TIMEOUT");
    const std::optional<std::string> given = variables_.get(name);
    if (!given) return otherwise;
    const std::optional<std::int64_t> value = value_of_text<std::int64_t>(*given);
    if (value) return *value == 0 ? no_limit_ms : *value;
    complain_unreadable(name, *given, kind_of_value<std::int64_t>(), text_of_value(otherwise));
    return otherwise;
}

std::string otlp_resolver::usable_protocol(const std::string& name, const std::string& given,
                                           std::string_view otherwise) const {
    std::string lowered = to_lower(given);
    if (lowered == default_protocol) return lowered;
    if (lowered == "grpc") {
        if (get_grpc_factory() != nullptr) return lowered;
        if (in_use_) {
            complain_about(name, given,
                           "'grpc' needs the library gym_telemetry_otel, which is not loaded; " +
                               std::string(otherwise) + " is used");
        }
    } else {
        complain_unreadable(name, given, "a protocol of this library (http/protobuf, grpc)",
                            otherwise);
    }
    return std::string(otherwise);
}

std::string otlp_resolver::protocol(std::string_view prefix, std::string otherwise) const {
    const std::string name = variable(prefix, "PROTOCOL");
    const std::optional<std::string> given = variables_.get(name);
    return given ? usable_protocol(name, *given, otherwise) : otherwise;
}

bool otlp_resolver::has_endpoint() const {
    return block_.otlp_endpoint.has_value() || variables_.is_set(variable(general, "ENDPOINT"));
}

std::string otlp_resolver::endpoint(const signal_names& names, const otlp_signal& signal,
                                    bool on) const {
    const bool grpc = signal.protocol == "grpc";
    const std::string own_name = variable(names.prefix, "ENDPOINT");
    const std::optional<std::string> own = variables_.get(own_name);
    if (!own && !has_endpoint() && grpc) return std::string(default_grpc_endpoint);

    const std::string& given = own ? *own : resolved_.otlp_endpoint;
    if (!(grpc ? is_usable_grpc_target(given) : is_usable_http_url(given))) {
        if (on && in_use_) {
            const std::string shown_url = without_credentials(given);
            complain_about(own ? own_name : origin(variables_, "ENDPOINT", "otlp_endpoint"), given,
                           shown(shown_url) +
                               " is no usable URL (http or https and a host); nothing is sent "
                               "there");
        }
        return {};
    }
    return own || grpc ? given : join_url(given, names.path);
}

otlp_signal otlp_resolver::resolve_signal(const signal_names& names, bool on) const {
    otlp_signal signal;
    signal.protocol = protocol(names.prefix, resolved_.otlp_protocol);
    signal.headers = text(names.prefix, "HEADERS", resolved_.otlp_headers);
    signal.compression = compression(names.prefix, resolved_.otlp_compression);
    signal.certificate = text(names.prefix, "CERTIFICATE", resolved_.otlp_certificate);
    signal.client_certificate =
        text(names.prefix, "CLIENT_CERTIFICATE", resolved_.otlp_client_certificate);
    signal.client_key = text(names.prefix, "CLIENT_KEY", resolved_.otlp_client_key);
    signal.insecure = insecure(names.prefix, insecure(general, false));
    signal.timeout_ms = timeout_ms(names.prefix, resolved_.otlp_timeout_ms);
    signal.endpoint = endpoint(names, signal, on);
    return signal;
}

void otlp_resolver::resolve() {
    resolved_.otlp_protocol = usable_protocol(origin(variables_, "PROTOCOL", "otlp_protocol"),
                                              resolved_.otlp_protocol, default_protocol);
    if (resolved_.otlp_protocol == "grpc" && !has_endpoint()) {
        resolved_.otlp_endpoint = default_grpc_endpoint;
    }
    resolved_.otlp_compression = compression(general, "none");
    resolved_.otlp_certificate = text(general, "CERTIFICATE", {});
    resolved_.otlp_client_certificate = text(general, "CLIENT_CERTIFICATE", {});
    resolved_.otlp_client_key = text(general, "CLIENT_KEY", {});
    resolved_.otlp_timeout_ms = timeout_ms(general, resolved_.otlp_timeout_ms);
    resolved_.otlp_metrics_endpoint = text(metrics_names.prefix, "ENDPOINT", {});
    resolved_.otlp_traces_endpoint = text(traces_names.prefix, "ENDPOINT", {});

    resolved_.otlp_metrics = resolve_signal(metrics_names, resolved_.metrics_enabled);
    resolved_.otlp_traces = resolve_signal(traces_names, resolved_.traces_enabled);
    resolved_.otlp_timeout_ms = resolved_.otlp_metrics.timeout_ms;
}

}  // namespace

void resolve_otlp(settings& resolved, const options& block, const environment& variables,
                  bool in_use) {
    otlp_resolver(resolved, block, variables, in_use).resolve();
}

}  // namespace gym::telemetry::detail
