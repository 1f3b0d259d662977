// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gym/telemetry/options.hpp>

#include <memory>

namespace gym::telemetry::cases {

// `given.telemetry` is meter_raises: telemetry is adopted through the bridge, and what it is to
// record into fails twice for each record: the meter makes no instrument (all that its API,
// noexcept throughout, can do), and then an exception comes back from there.
class raising_meter {
public:
    // Throws skip when the program was built without the bridge.
    raising_meter();
    ~raising_meter();
    raising_meter(const raising_meter&) = delete;
    raising_meter& operator=(const raising_meter&) = delete;

    void begin(const options& block);
    // Points that arrived at the owner's provider all the same.
    std::size_t arrived() const;
    // How often an exception was thrown.
    std::size_t raised() const;

private:
    struct owner;
    std::unique_ptr<owner> owner_;
};

}  // namespace gym::telemetry::cases
