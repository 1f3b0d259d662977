// SPDX-License-Identifier: Apache-2.0
#include "export/memory.hpp"
#include "handle/embedding.hpp"
#include "handle/handle.hpp"

#include <unistd.h>

namespace gym::telemetry::detail {

namespace {

class session_source final : public collection_source {
public:
    explicit session_source(temporality time) : time_(time) {}

    collection collect() override {
        const auto session = current_session();
        // The parent's cells are no child's to report. Left as they are: locks may be held.
        if (process_ != ::getpid()) {
            process_ = ::getpid();
            [[maybe_unused]] auto* left = reader_.release();
            generation_ = 0;
        }
        if (session != nullptr && session->source()->id() != generation_) {
            reader_ = std::make_unique<memory_reader>(session->source(), time_);
            generation_ = session->source()->id();
            resource_ = session->resource();
        }
        return reader_ == nullptr ? collection{} : reader_->collect();
    }
    const std::vector<std::pair<std::string, std::string>>& resource() const override {
        return resource_;
    }

private:
    temporality time_;
    ::pid_t process_ = ::getpid();
    std::uint64_t generation_ = 0;
    std::unique_ptr<memory_reader> reader_;
    std::vector<std::pair<std::string, std::string>> resource_;
};

}  // namespace

std::unique_ptr<collection_source> make_collection_source(temporality time) {
    return std::make_unique<session_source>(time);
}

}  // namespace gym::telemetry::detail
