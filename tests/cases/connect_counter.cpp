// SPDX-License-Identifier: Apache-2.0
#include "connect_counter.hpp"

#include "values.hpp"

#include <gym/telemetry/recorders.hpp>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>
#include <variant>

namespace gym::telemetry::cases {

namespace {

void report(detail::connect_sink& sink, const json_value& counts) {
    for (const auto& [name, count] : counts.members)
        std::visit([&](auto value) { detail::report_count(sink, name, value); },
                   integer_of(count).value);
}

}  // namespace

// The template of the public header takes one integer type for all pairs; a snapshot here may hold
// an int64 below zero beside a uint64 beyond it, so the callback behind the template is made by
// hand.
class case_callback final : public detail::connect_callback {
public:
    explicit case_callback(std::shared_ptr<connect_counter> counter)
        : counter_(std::move(counter)) {}
    void call(detail::connect_sink& sink) override { counter_->call(sink); }

private:
    std::shared_ptr<connect_counter> counter_;
};

void connect_counter::set(json_value snapshot) {
    const std::lock_guard lock(mutex_);
    snapshot_ = std::move(snapshot);
}

void connect_counter::register_scoped() {
    auto callback = std::make_shared<case_callback>(shared_from_this());
    registration_ = registration(detail::register_connect_callback(std::move(callback)));
}

void connect_counter::unregister() {
    registration_.reset();
    is_gone_ = true;
}

void connect_counter::call(detail::connect_sink& sink) {
    if (is_gone_) ++late_calls_;
    json_value now;
    {
        const std::lock_guard lock(mutex_);
        now = snapshot_;
    }
    const json_value* counts = now.find("value");
    if (now.find("$raises")) throw std::runtime_error("the callback raises");
    bool goes = false;
    if (const json_value* called = now.find("$calls")) {
        goes = called->text == "unregister";
        if (goes)
            registration_.reset();
        else
            record_sandbox_create_retry("inside");
    } else if (const json_value* pause = now.find("$sleep_ms")) {
        std::this_thread::sleep_for(std::chrono::milliseconds(int64_of(*pause)));
    } else {
        counts = &now;
    }
    if (counts) report(sink, *counts);
    if (goes) is_gone_ = true;
}

}  // namespace gym::telemetry::cases
