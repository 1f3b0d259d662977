// SPDX-License-Identifier: Apache-2.0
//
// The callback of the connect counter, which returns what the case says.
#pragma once

#include "json_value.hpp"

#include <gym/telemetry/observable.hpp>

#include <atomic>
#include <memory>
#include <mutex>

namespace gym::telemetry::cases {

// Shared by the callback and the case that changes what it returns.
class connect_counter : public std::enable_shared_from_this<connect_counter> {
public:
    // Any thread.
    void set(json_value snapshot);

    // Registers a callback until `unregister`, or until a snapshot takes it back.
    void register_scoped();
    void unregister();
    // Whether this registration was the first one of its generation.
    bool is_registered() const { return static_cast<bool>(registration_); }

    // How often the callback began after `unregister` had returned.
    int late_calls() const { return late_calls_; }

private:
    friend class case_callback;
    void call(detail::connect_sink& sink);

    std::mutex mutex_;
    json_value snapshot_;
    registration registration_;
    std::atomic<bool> is_gone_ = false;
    std::atomic<int> late_calls_ = 0;
};

}  // namespace gym::telemetry::cases
