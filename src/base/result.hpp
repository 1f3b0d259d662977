// SPDX-License-Identifier: Apache-2.0
//
// What set-up and I/O return: a value, or why there is none.
//
//     result<int> port = parse_port(text);
//     if (!port) return port.failure();
//     connect(*port);
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace gym::telemetry::detail {

enum class errc : std::uint8_t {
    invalid,      // cannot be read: syntax, type or range
    not_found,    // a file, folder, key or host that is not there
    denied,       // not allowed to
    limit,        // longer, deeper or more than a limit that has a name
    truncated,    // ends too early
    timeout,      // a deadline passed
    unavailable,  // nobody answers, or the part that could do it is not there
    io,           // everything else that the system refuses
};

struct error {
    errc code = errc::invalid;
    std::string text;  // short, with the offending value; no secrets
};

template <class T>
class [[nodiscard]] result {
public:
    result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    result(error failure) : state_(std::in_place_index<1>, std::move(failure)) {}
    result(errc code, std::string why)
        : state_(std::in_place_index<1>, error{code, std::move(why)}) {}

    explicit operator bool() const noexcept { return state_.index() == 0; }

    // Only when there is a value.
    T& operator*() & noexcept { return value(); }
    const T& operator*() const& noexcept { return const_cast<result*>(this)->value(); }
    T&& operator*() && noexcept { return std::move(value()); }
    T* operator->() noexcept { return &value(); }
    const T* operator->() const noexcept { return &const_cast<result*>(this)->value(); }

    // Only when there is none.
    const error& failure() const noexcept {
        assert(!*this);
        return *std::get_if<1>(&state_);
    }

private:
    T& value() noexcept {
        assert(*this);
        return *std::get_if<0>(&state_);
    }

    std::variant<T, error> state_;
};

}  // namespace gym::telemetry::detail
