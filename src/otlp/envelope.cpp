// SPDX-License-Identifier: Apache-2.0
#include "otlp/envelope.hpp"

#include "base/utf8.hpp"
#include "otlp/attributes.hpp"

#include <charconv>
#include <cstdint>
#include <ranges>

namespace gym::telemetry::otlp {

namespace {

constexpr std::string_view numeric_key = "process.pid";

void write_resource_attribute(backward_writer& to, const std::string& key,
                              const std::string& value) {
    using telemetry::detail::attribute_size_max;
    using telemetry::detail::normalize_text;
    // They come from the environment, where any bytes may stand.
    char key_buffer[attribute_size_max];
    char value_buffer[attribute_size_max];
    std::int64_t number = 0;
    const char* end = value.data() + value.size();
    const auto [stop, failed] = std::from_chars(value.data(), end, number);
    if (key == numeric_key && failed == std::errc{} && stop == end)
        write_attribute(to, field::resource::attributes, key, number);
    else
        write_attribute(to, field::resource::attributes, normalize_text(key, key_buffer),
                        normalize_text(value, value_buffer));
}

}  // namespace

std::string encode_resource(const std::vector<std::pair<std::string, std::string>>& attributes) {
    backward_writer to;
    for (const auto& [key, value] : attributes | std::views::reverse)
        write_resource_attribute(to, key, value);
    to.enclose(field::per_resource::resource, 0);
    return std::string(to.bytes());
}

std::string encode_scope(std::string_view name, std::string_view version) {
    backward_writer to;
    to.text(field::scope::version, version);
    to.text(field::scope::name, name);
    to.enclose(field::per_scope::scope, 0);
    return std::string(to.bytes());
}

void close_metric(backward_writer& to, std::uint32_t data, const metric_head& head,
                  std::size_t end) {
    to.enclose(data, end);
    // Empty text is the default of these fields and left out, as libprotobuf does.
    if (!head.unit.empty()) to.text(field::metric::unit, head.unit);
    if (!head.description.empty()) to.text(field::metric::description, head.description);
    to.text(field::metric::name, head.name);
    to.enclose(field::per_scope::items, end);
}

}  // namespace gym::telemetry::otlp
