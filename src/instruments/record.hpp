// SPDX-License-Identifier: Apache-2.0
//
// Recording to a row of the table. What does not fit the row does not compile.
//
//     count<id_of("gym.sandbox.create_retry_total")>(provider);
#pragma once

#include "engine/record.hpp"
#include "instruments/catalogue.hpp"

#include <gym/telemetry/detail/bucket_index.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace gym::telemetry::instruments {

namespace detail {

inline std::string_view value_text(std::string_view value) noexcept {
    return value;
}
// A boolean is one byte of the key. A template, so that no pointer becomes a boolean.
template <class Bool>
    requires std::is_same_v<Bool, bool>
std::string_view value_text(Bool value) noexcept {
    return value ? std::string_view("\1", 1) : std::string_view("\0", 1);
}

template <engine::instrument_id Id>
inline constexpr gym::telemetry::detail::bucket_index<catalogue[Id].bounds.size()> bucket_of{
    catalogue[Id].bounds.data()};

template <engine::instrument_id Id, class... Values>
consteval bool values_fit() {
    constexpr auto& attributes = catalogue[Id].attributes;
    if (sizeof...(Values) != attributes.size()) return false;
    constexpr std::array<bool, sizeof...(Values)> given = {std::is_same_v<Values, bool>...};
    for (std::size_t i = 0; i < given.size(); ++i)
        if (given[i] != (attributes[i].type == attribute_type::boolean)) return false;
    return true;
}

template <engine::instrument_id Id, instrument_kind Kind, aggregation How, class... Values>
consteval void check() {
    static_assert(Id < catalogue.size(), "no such row");
    static_assert(catalogue[Id].kind == Kind && catalogue[Id].how == How,
                  "this row of the table is an instrument of another kind");
    static_assert(values_fit<Id, Values...>(),
                  "the row has other attributes: their number or types differ");
}

}  // namespace detail

// Adds one to a counter.
template <engine::instrument_id Id, class... Values>
[[gnu::always_inline]] inline void count(Values... values) noexcept {
    detail::check<Id, instrument_kind::counter, aggregation::sum, Values...>();
    engine::record(Id, engine::increment{}, detail::value_text(values)...);
}

// Adds an amount to a counter; one below zero is dropped and counted.
template <engine::instrument_id Id, class... Values>
[[gnu::always_inline]] inline void count_many(std::int64_t amount, Values... values) noexcept {
    detail::check<Id, instrument_kind::counter, aggregation::sum, Values...>();
    if (amount < 0) [[unlikely]]
        return engine::drop_record(Id, engine::drop_reason::negative);
    engine::record(Id, engine::addition{amount}, detail::value_text(values)...);
}

// Adds to an up-down counter.
template <engine::instrument_id Id, class... Values>
[[gnu::always_inline]] inline void add(std::int64_t delta, Values... values) noexcept {
    detail::check<Id, instrument_kind::up_down_counter, aggregation::sum, Values...>();
    engine::record(Id, engine::addition{delta}, detail::value_text(values)...);
}

[[gnu::cold]] inline void drop_value(engine::instrument_id id, double value) noexcept {
    const bool negative = value < 0 && value >= std::numeric_limits<double>::lowest();
    engine::drop_record(
        id, negative ? engine::drop_reason::negative : engine::drop_reason::not_a_number);
}

// Records a duration; one that is NaN, infinite or negative is dropped and counted.
template <engine::instrument_id Id, class... Values>
[[gnu::always_inline]] inline void record(double value, Values... values) noexcept {
    detail::check<Id, instrument_kind::histogram, aggregation::histogram, Values...>();
    // False for NaN.
    if (!(value >= 0 && value <= std::numeric_limits<double>::max())) [[unlikely]]
        return drop_value(Id, value);
    engine::record(Id, engine::bucketed<detail::bucket_of<Id>>{value},
                   detail::value_text(values)...);
}

// Counts one event of a ratio.
template <engine::instrument_id Id>
[[gnu::always_inline]] inline void count_ratio(bool hit) noexcept {
    detail::check<Id, instrument_kind::gauge, aggregation::ratio>();
    engine::record(Id, engine::ratio_event{hit});
}

// Stores the value of a gauge; of several threads that do, the last one wins.
template <engine::instrument_id Id, class... Values>
[[gnu::always_inline]] inline void store(double value, Values... values) noexcept {
    detail::check<Id, instrument_kind::gauge, aggregation::last_value, Values...>();
    engine::record(Id, engine::last_value{value}, detail::value_text(values)...);
}

}  // namespace gym::telemetry::instruments
