// SPDX-License-Identifier: Apache-2.0
//
// gym.http.connection_pool.connect_total: a pool keeps plain counts per destination, and a callback
// hands a snapshot of them over at each collection.
#pragma once

#include <gym/telemetry/detail/api.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gym::telemetry {

namespace detail {

// Receives what a callback reports. A value that is no count (below 0, beyond int64) is dropped
// and counted, that pair alone.
class connect_sink {
public:
    virtual void report(std::string_view server_name, std::int64_t count) = 0;
    virtual void drop(bool negative) = 0;

protected:
    ~connect_sink() = default;
};

// A callback without its type. Shared, since a collection may be calling it while it is replaced.
class connect_callback {
public:
    virtual ~connect_callback() = default;
    virtual void call(connect_sink& sink) = 0;
};

template <class Integer>
void report_count(connect_sink& sink, std::string_view server_name, Integer count) {
    if (std::cmp_less(count, 0) || !std::in_range<std::int64_t>(count)) {
        sink.drop(std::cmp_less(count, 0));
    } else {
        sink.report(server_name, static_cast<std::int64_t>(count));
    }
}

template <class Callable>
class connect_callback_of final : public connect_callback {
public:
    explicit connect_callback_of(Callable callable) : callable_(std::move(callable)) {}

    void call(connect_sink& sink) override {
        for (const auto& [server_name, count] : callable_())
            report_count(sink, std::string_view(server_name), count);
    }

private:
    Callable callable_;
};

// The id of the registration, 0 when another one of this generation came first or telemetry is off.
GYM_TELEMETRY_API std::uint64_t register_connect_callback(
    std::shared_ptr<connect_callback> callback) noexcept;
GYM_TELEMETRY_API void unregister_connect_callback(std::uint64_t id) noexcept;

}  // namespace detail

// A registration that ends with this object. Its end waits for a running callback, unless it is
// the callback itself that ends it: afterwards the callback never begins again. Empty when another
// registration came first. Move-only; one thread at a time.
class registration {
public:
    registration() = default;
    explicit registration(std::uint64_t id) noexcept : id_(id) {}
    registration(registration&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
    registration& operator=(registration&& other) noexcept {
        if (this != &other) {
            reset();
            id_ = std::exchange(other.id_, 0);
        }
        return *this;
    }
    ~registration() { reset(); }

    explicit operator bool() const noexcept { return id_ != 0; }
    void reset() noexcept {
        if (id_ != 0) detail::unregister_connect_callback(std::exchange(id_, 0));
    }

private:
    std::uint64_t id_ = 0;
};

// Registers `snapshot`, a callable that returns a range of pairs of a server name and an integer of
// any type: how often the pool was asked for a connection, ever. The first registration of a
// generation wins and stays until that generation ends. The callable runs on the collecting thread,
// outside every lock; it may throw (that collection then has no points of it), may record, and must
// be safe against the threads that change the counts. No-op while telemetry is off.
template <class Callable>
void register_http_connection_pool_connect_counter(Callable snapshot) noexcept {
    try {
        detail::register_connect_callback(
            std::make_shared<detail::connect_callback_of<Callable>>(std::move(snapshot)));
    } catch (...) {  // out of memory: a recorder never throws; the points are absent
    }
}

// The same for an owner that may go before the generation does: keep the result as its member,
// declared after what the callback reads.
template <class Callable>
[[nodiscard]] registration scoped_http_connection_pool_connect_counter(Callable snapshot) {
    return registration(detail::register_connect_callback(
        std::make_shared<detail::connect_callback_of<Callable>>(std::move(snapshot))));
}

}  // namespace gym::telemetry
