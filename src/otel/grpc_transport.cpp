// SPDX-License-Identifier: Apache-2.0
//
// OTLP's unary calls on grpc++. Requests are bytes already, and are sent as they stand.
#include "export/grpc_transport.hpp"

#include "base/diagnostics.hpp"

#include <gym/telemetry/otel/grpc.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include <grpcpp/alarm.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/channel_arguments.h>
#include <grpcpp/support/slice.h>
#include <unistd.h>

namespace gym::telemetry::otel {

namespace {

using detail::grpc_result;
using detail::grpc_target;
using detail::signal_kind;
using time_point = detail::steady_clock::time_point;

constexpr std::array<const char*, 2> methods = {
    "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
    "/opentelemetry.proto.collector.trace.v1.TraceService/Export"};

std::chrono::system_clock::time_point to_system(time_point at) {
    // A day is for ever; more could overflow the clock.
    const auto left = std::min<std::chrono::nanoseconds>(at - detail::steady_clock::now(),
                                                         std::chrono::hours(24));
    return std::chrono::system_clock::now() + left;
}

std::shared_ptr<grpc::Channel> make_channel(const grpc_target& to) {
    grpc::ChannelArguments with;
    with.SetUserAgentPrefix("gym-telemetry/" GYM_TELEMETRY_VERSION);
    if (to.compress) with.SetCompressionAlgorithm(GRPC_COMPRESS_GZIP);
    // Pauses between tries are the exporter's: a channel that pauses longer would answer in the
    // meantime that it is unavailable.
    with.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
    with.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    with.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1000);
    with.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
    if (to.loopback) with.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
    if (to.tls)
        credentials = grpc::SslCredentials({.pem_root_certs = to.root_certificates,
                                            .pem_private_key = to.client_key,
                                            .pem_cert_chain = to.client_certificate});
    return grpc::CreateCustomChannel("dns:///" + to.address, credentials, with);
}

std::string to_text(const grpc::ByteBuffer& bytes) {
    std::vector<grpc::Slice> slices;
    std::string text;
    if (!bytes.Valid() || !bytes.Dump(&slices).ok()) return text;
    for (const grpc::Slice& slice : slices)
        text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    return text;
}

class transport final : public detail::grpc_transport {
public:
    explicit transport(const detail::grpc_targets& to) : targets_(to) {
        for (std::size_t signal = 0; signal < targets_.size(); ++signal)
            if (!targets_[signal].address.empty())
                stubs_[signal] =
                    std::make_unique<grpc::GenericStub>(make_channel(targets_[signal]));
    }
    // Calls point into this object until gRPC has said that they have ended.
    ~transport() override {
        for (auto& each : calls_) each->context.TryCancel();
        queue_.Shutdown();
        void* tag = nullptr;
        bool ok = false;
        while (queue_.Next(&tag, &ok)) {
        }
    }

    void start(signal_kind signal, std::string_view body, time_point deadline) override;
    std::optional<std::pair<signal_kind, grpc_result>> wait(time_point until) override;
    void cancel(signal_kind signal) override {
        for (auto& each : calls_)
            if (each->signal == signal && !each->abandoned) {
                each->abandoned = true;
                each->context.TryCancel();
            }
    }
    void wake() noexcept override {
        if (!woken_.exchange(true)) alarm_.Set(&queue_, std::chrono::system_clock::now(), &woken_);
    }

private:
    struct call {
        signal_kind signal;
        bool abandoned = false;  // nobody waits for its end any more
        grpc::ClientContext context{};
        grpc::ByteBuffer answer{};
        grpc::Status status{};
        std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader{};
    };

    detail::grpc_targets targets_;
    grpc::CompletionQueue queue_;
    std::array<std::unique_ptr<grpc::GenericStub>, 2> stubs_;
    std::vector<std::unique_ptr<call>> calls_;
    std::atomic<bool> woken_{false};  // its address is the alarm's tag
    grpc::Alarm alarm_;
};

void transport::start(signal_kind signal, std::string_view body, time_point deadline) {
    const auto index = static_cast<std::size_t>(signal);
    call& made = *calls_.emplace_back(std::make_unique<call>(signal));
    made.context.set_deadline(to_system(deadline));
    for (const auto& [name, value] : targets_[index].metadata)
        made.context.AddMetadata(name, value);
    const grpc::Slice slice(body.data(), body.size());
    const grpc::ByteBuffer request(&slice, 1);
    made.reader = stubs_[index]->PrepareUnaryCall(&made.context, methods[index], request, &queue_);
    made.reader->StartCall();
    made.reader->Finish(&made.answer, &made.status, &made);
}

std::optional<std::pair<signal_kind, grpc_result>> transport::wait(time_point until) {
    void* tag = nullptr;
    bool ok = false;
    if (queue_.AsyncNext(&tag, &ok, to_system(until)) != grpc::CompletionQueue::GOT_EVENT)
        return std::nullopt;
    if (tag == &woken_) {
        woken_.store(false);
        return std::nullopt;
    }
    const auto at =
        std::ranges::find(calls_, tag, [](const auto& each) -> void* { return each.get(); });
    const std::unique_ptr<call> ended = std::move(*at);
    calls_.erase(at);
    if (ended->abandoned) return std::nullopt;
    return std::pair{ended->signal, grpc_result{.code = ended->status.error_code(),
                                                .message = ended->status.error_message(),
                                                .details = ended->status.error_details(),
                                                .body = to_text(ended->answer)}};
}

// The process that uses gRPC: its threads do not exist in a forked child, where a call would hang.
std::atomic<pid_t> grpc_process{0};

std::unique_ptr<detail::grpc_transport> make_transport(const detail::grpc_targets& to) {
    pid_t before = 0;
    if (!grpc_process.compare_exchange_strong(before, ::getpid()) && before != ::getpid()) {
        detail::diagnose("export.grpc_fork",
                         "otlp: a forked child cannot use gRPC once its parent has; nothing is "
                         "sent from here (http/protobuf can)");
        return nullptr;
    }
    return std::make_unique<transport>(to);
}

// At loading.
[[maybe_unused]] const bool enabled = (enable_grpc_export(), true);

}  // namespace

void enable_grpc_export() noexcept {
    detail::set_grpc_factory(make_transport);
}

}  // namespace gym::telemetry::otel
