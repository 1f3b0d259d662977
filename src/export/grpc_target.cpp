// SPDX-License-Identifier: Apache-2.0
#include "export/grpc_target.hpp"

#include "base/diagnostics.hpp"
#include "base/environment.hpp"
#include "export/answer.hpp"
#include "export/request_headers.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace gym::telemetry::detail {

namespace {

// False when there is a name and no such file.
bool read_file(const std::string& name, std::string& to) {
    if (name.empty()) return true;
    std::ifstream file(name, std::ios::binary);
    to.assign(std::istreambuf_iterator<char>(file), {});
    return file.good() && !to.empty();
}

// Host and port of a URL, or of what stands for one. Without a port: the scheme's own, or OTLP's.
void set_address(grpc_target& to, std::string_view url, bool insecure) {
    const std::size_t end = url.find("://");
    const std::string scheme = end == url.npos ? std::string() : to_lower(url.substr(0, end));
    if (end != url.npos) url.remove_prefix(end + 3);
    url = url.substr(0, url.find_first_of("/?#"));
    if (const std::size_t at = url.rfind('@'); at != url.npos) url.remove_prefix(at + 1);
    const std::size_t colon = url.rfind(':');
    const bool has_port = colon != url.npos && url.find(']', colon) == url.npos;
    const std::string_view host = has_port ? url.substr(0, colon) : url;
    const std::string_view port = has_port ? url.substr(colon + 1) : std::string_view();
    to.tls = scheme.empty() ? !insecure : scheme == "https";
    to.loopback = host == "localhost" || host.starts_with("127.") || host == "[::1]";
    to.address = std::string(host) + ':';
    if (!port.empty())
        to.address += port;
    else
        to.address += scheme.empty() ? "4317" : to.tls ? "443" : "80";
}

// gRPC refuses a whole call over metadata that it does not allow.
void set_metadata(grpc_target& to, std::string_view list, signal_kind signal) {
    for (auto& [name, value] : parse_request_headers(list)) {
        std::string lowered = to_lower(name);
        const bool printable =
            std::ranges::all_of(value, [](char c) { return c >= 0x20 && c < 0x7f; });
        const bool allowed = std::ranges::all_of(lowered, [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                   c == '.';
        });
        if (printable && allowed && !lowered.starts_with("grpc-"))
            to.metadata.emplace_back(std::move(lowered), std::move(value));
        else
            diagnose("export.headers",
                     "otlp: the header " + lowered + " of " + std::string(name_of(signal)) +
                         " cannot be sent over gRPC and is left out",
                     lowered);
    }
}

grpc_target target_of(const otlp_signal& from, signal_kind signal) {
    grpc_target to;
    const bool readable = read_file(from.certificate, to.root_certificates) &&
                          read_file(from.client_certificate, to.client_certificate) &&
                          read_file(from.client_key, to.client_key);
    if (!readable) {
        diagnose("export.endpoint",
                 "otlp: " + std::string(name_of(signal)) +
                     " cannot be sent: a certificate or key cannot be read",
                 name_of(signal));
        return {};
    }
    set_address(to, from.endpoint, from.insecure);
    set_metadata(to, from.headers, signal);
    to.compress = from.compression == "gzip";
    return to;
}

}  // namespace

bool goes_over_grpc(const settings& config, signal_kind signal) noexcept {
    const bool metrics = signal == signal_kind::metrics;
    const otlp_signal& how = metrics ? config.otlp_metrics : config.otlp_traces;
    return (metrics ? config.metrics_enabled : config.traces_enabled) && how.protocol == "grpc" &&
           !how.endpoint.empty();
}

grpc_targets grpc_targets_of(const settings& config) {
    grpc_targets to;
    if (goes_over_grpc(config, signal_kind::metrics))
        to[0] = target_of(config.otlp_metrics, signal_kind::metrics);
    if (goes_over_grpc(config, signal_kind::traces))
        to[1] = target_of(config.otlp_traces, signal_kind::traces);
    return to;
}

}  // namespace gym::telemetry::detail
