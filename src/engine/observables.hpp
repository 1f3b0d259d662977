// SPDX-License-Identifier: Apache-2.0
//
// Callbacks that are asked at each collection, outside every lock. They may record, throw, take
// their own registration back, and run on several collecting threads at once.
#pragma once

#include "engine/instrument_row.hpp"

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace gym::telemetry::engine {

// What a callback says: values of series, one string a series and attribute.
class observer {
public:
    virtual void observe(const std::string_view* values, std::int64_t value) = 0;
    virtual void observe(const std::string_view* values, double value) = 0;
    virtual void drop(std::string_view reason) = 0;  // a value that is none: counted

protected:
    ~observer() = default;
};

// One of the three observable kinds; which one follows from the instrument's row.
class observable {
public:
    virtual ~observable() = default;
    virtual void call(observer& to) = 0;
};

class observable_registry {
public:
    // 0 when the instrument has one already: the first registration wins.
    std::uint64_t add(instrument_id instrument, std::shared_ptr<observable> callback);
    // Waits for running calls, unless it is called from inside one. False when there is none.
    bool remove(std::uint64_t id);

    struct entry {
        std::uint64_t id;
        instrument_id instrument;
        std::shared_ptr<observable> callback;
    };
    std::vector<entry> entries();
    // Calls one entry, unless it was taken back meanwhile. Exceptions come through.
    void call(const entry& which, observer& to);

private:
    struct running {
        std::uint64_t id;
        std::thread::id thread;
    };

    std::mutex mutex_;
    std::condition_variable ended_;
    std::vector<entry> entries_;
    std::vector<running> running_;
};

}  // namespace gym::telemetry::engine
