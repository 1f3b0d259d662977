// SPDX-License-Identifier: Apache-2.0
//
// A grpc++ server of OTLP that answers as it is told, from the services that Debian's
// opentelemetry-cpp is built with.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <grpcpp/grpcpp.h>
#include <opentelemetry/proto/collector/metrics/v1/metrics_service.grpc.pb.h>
#include <opentelemetry/proto/collector/trace/v1/trace_service.grpc.pb.h>

namespace gym::telemetry::test {

namespace otlp_metrics = opentelemetry::proto::collector::metrics::v1;
namespace otlp_traces = opentelemetry::proto::collector::trace::v1;

struct grpc_answer {
    grpc::Status status = grpc::Status::OK;
    std::int64_t rejected = 0;
    std::string message{};
    bool never = false;  // until the caller gives up
};

class grpc_receiver {
public:
    // Of a receiver that asks to come back so much later.
    static grpc::Status come_back(grpc::StatusCode code, std::int64_t seconds, int nanos = 0) {
        // google.rpc.Status{details: [Any{RetryInfo{retry_delay}}]}, whose .proto is not here.
        const auto field = [](int number, const std::string& bytes) {
            std::string text(1, static_cast<char>(number << 3 | 2));
            return text + static_cast<char>(bytes.size()) + bytes;
        };
        const auto varint = [](int number, std::uint64_t value) {
            std::string text(1, static_cast<char>(number << 3));
            for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
            return text + static_cast<char>(value);
        };
        const std::string delay = varint(1, static_cast<std::uint64_t>(seconds)) +
                                  varint(2, static_cast<std::uint64_t>(nanos));
        const std::string any =
            field(1, "type.googleapis.com/google.rpc.RetryInfo") + field(2, field(1, delay));
        return {code, "slow down", field(3, any)};
    }

    explicit grpc_receiver(
        const std::shared_ptr<grpc::ServerCredentials>& by = grpc::InsecureServerCredentials()) {
        grpc::ServerBuilder builder;
        builder.AddListeningPort("127.0.0.1:0", by, &port_);
        builder.RegisterService(&metrics_);
        builder.RegisterService(&traces_);
        server_ = builder.BuildAndStart();
    }
    ~grpc_receiver() { stop(); }
    void stop() {
        if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
        server_.reset();
    }

    std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

    // What the next calls of metrics are answered; afterwards, and traces, with OK.
    void answer_with(std::deque<grpc_answer> next) {
        const std::lock_guard lock(mutex_);
        next_ = std::move(next);
    }
    std::vector<otlp_metrics::ExportMetricsServiceRequest> metrics() const {
        const std::lock_guard lock(mutex_);
        return metrics_seen_;
    }
    std::vector<otlp_traces::ExportTraceServiceRequest> traces() const {
        const std::lock_guard lock(mutex_);
        return traces_seen_;
    }
    // Of the last call of metrics.
    std::multimap<std::string, std::string> metadata() const {
        const std::lock_guard lock(mutex_);
        return metadata_;
    }

private:
    struct metrics_service final : otlp_metrics::MetricsService::Service {
        explicit metrics_service(grpc_receiver& to) : owner(to) {}
        grpc::Status Export(grpc::ServerContext* context,
                            const otlp_metrics::ExportMetricsServiceRequest* request,
                            otlp_metrics::ExportMetricsServiceResponse* response) override {
            return owner.take(*context, *request, *response);
        }
        grpc_receiver& owner;
    };
    struct traces_service final : otlp_traces::TraceService::Service {
        explicit traces_service(grpc_receiver& to) : owner(to) {}
        grpc::Status Export(grpc::ServerContext*,
                            const otlp_traces::ExportTraceServiceRequest* request,
                            otlp_traces::ExportTraceServiceResponse*) override {
            const std::lock_guard lock(owner.mutex_);
            owner.traces_seen_.push_back(*request);
            return grpc::Status::OK;
        }
        grpc_receiver& owner;
    };

    grpc::Status take(grpc::ServerContext& context,
                      const otlp_metrics::ExportMetricsServiceRequest& request,
                      otlp_metrics::ExportMetricsServiceResponse& response) {
        grpc_answer now;
        {
            const std::lock_guard lock(mutex_);
            metrics_seen_.push_back(request);
            metadata_.clear();
            for (const auto& [key, value] : context.client_metadata())
                metadata_.emplace(std::string(key.data(), key.size()),
                                  std::string(value.data(), value.size()));
            if (!next_.empty()) {
                now = next_.front();
                next_.pop_front();
            }
        }
        while (now.never && !context.IsCancelled())
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (now.rejected != 0 || !now.message.empty()) {
            response.mutable_partial_success()->set_rejected_data_points(now.rejected);
            response.mutable_partial_success()->set_error_message(now.message);
        }
        return now.status;
    }

    mutable std::mutex mutex_;
    std::deque<grpc_answer> next_;
    std::vector<otlp_metrics::ExportMetricsServiceRequest> metrics_seen_;
    std::vector<otlp_traces::ExportTraceServiceRequest> traces_seen_;
    std::multimap<std::string, std::string> metadata_;
    metrics_service metrics_{*this};
    traces_service traces_{*this};
    int port_ = 0;
    std::unique_ptr<grpc::Server> server_;
};

}  // namespace gym::telemetry::test
