// SPDX-License-Identifier: Apache-2.0
#include "export/series_attributes.hpp"

#include "otlp/attributes.hpp"
#include "otlp/fields.hpp"

namespace gym::telemetry::detail {

void encode_series_attributes(const engine::instrument_row& row, const std::string_view* values,
                              bool overflow, std::string& to) {
    const std::uint32_t field = row.how == engine::aggregation::histogram
                                    ? otlp::field::histogram_point::attributes
                                    : otlp::field::number_point::attributes;
    otlp::backward_writer writer;
    if (overflow) {
        otlp::write_attribute(writer, field, "otel.metric.overflow", true);
        to.append(writer.bytes());
        return;
    }
    for (std::size_t i = row.attributes.size(); i-- > 0;) {
        const engine::attribute_row& attribute = row.attributes[i];
        if (attribute.type == engine::attribute_type::boolean)
            otlp::write_attribute(writer, field, attribute.key, values[i] == "\1");
        else if (!values[i].empty() || !attribute.optional)
            otlp::write_attribute(writer, field, attribute.key, values[i]);
    }
    to.append(writer.bytes());
}

}  // namespace gym::telemetry::detail
