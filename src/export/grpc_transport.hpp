// SPDX-License-Identifier: Apache-2.0
//
// What the exporter over gRPC needs of gRPC, which only the bridge library links.
#pragma once

#include "export/exporter.hpp"

#include <gym/telemetry/detail/api.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gym::telemetry::detail {

struct grpc_target {
    std::string address{};  // host:port; empty: this signal is not sent
    bool tls = false;
    bool loopback = false;  // no proxy reaches it
    bool compress = false;
    std::vector<std::pair<std::string, std::string>> metadata{};  // names in lower case
    // PEM; empty: the system's, none.
    std::string root_certificates{};
    std::string client_certificate{};
    std::string client_key{};
};
using grpc_targets = std::array<grpc_target, 2>;  // by signal_kind

// How a call ended.
struct grpc_result {
    int code = 0;           // grpc::StatusCode
    std::string message{};  // of the receiver or of gRPC itself
    std::string details{};  // a google.rpc.Status
    std::string body{};     // of the answer
};

// Calls, at most one a signal. One thread, but for wake().
class grpc_transport {
public:
    virtual ~grpc_transport() = default;
    virtual void start(signal_kind signal, std::string_view body,
                       steady_clock::time_point deadline) = 0;
    // Waits for the next call that ends, at most until then or until wake().
    virtual std::optional<std::pair<signal_kind, grpc_result>> wait(
        steady_clock::time_point until) = 0;
    // Ends a call; wait() will not return it.
    virtual void cancel(signal_kind signal) = 0;
    virtual void wake() noexcept = 0;
};

// Null, and a complaint, when gRPC cannot be used in this process.
using grpc_factory = std::unique_ptr<grpc_transport> (*)(const grpc_targets& to);

// The bridge library says that it can do gRPC, when it is loaded. Null: nobody can. Any thread.
GYM_TELEMETRY_API void set_grpc_factory(grpc_factory make) noexcept;
grpc_factory get_grpc_factory() noexcept;

}  // namespace gym::telemetry::detail
