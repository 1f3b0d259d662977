// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/instrument_row.hpp"

#include <string_view>

#include <opentelemetry/common/key_value_iterable.h>

namespace gym::telemetry::otel {

namespace nostd = opentelemetry::nostd;

inline nostd::string_view to_otel(std::string_view text) noexcept {
    return {text.data(), text.size()};
}

// The values of one series as OpenTelemetry walks over attributes: no map, nothing allocated.
class row_attributes final : public opentelemetry::common::KeyValueIterable {
public:
    row_attributes(const engine::instrument_row& row, const std::string_view* values) noexcept
        : row_(row), values_(values) {}

    bool ForEachKeyValue(
        nostd::function_ref<bool(nostd::string_view, opentelemetry::common::AttributeValue)> each)
        const noexcept override {
        for (std::size_t i = 0; i < row_.attributes.size(); ++i)
            if (has(i) && !each(to_otel(row_.attributes[i].key), value(i))) return false;
        return true;
    }
    std::size_t size() const noexcept override {
        std::size_t count = 0;
        for (std::size_t i = 0; i < row_.attributes.size(); ++i) count += has(i);
        return count;
    }

private:
    bool has(std::size_t i) const noexcept {
        return !row_.attributes[i].optional || !values_[i].empty();
    }
    opentelemetry::common::AttributeValue value(std::size_t i) const noexcept {
        if (row_.attributes[i].type == engine::attribute_type::boolean)
            return values_[i] == std::string_view("\1", 1);
        return to_otel(values_[i]);
    }

    const engine::instrument_row& row_;
    const std::string_view* values_;
};

}  // namespace gym::telemetry::otel
