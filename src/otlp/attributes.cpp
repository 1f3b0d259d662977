// SPDX-License-Identifier: Apache-2.0
#include "otlp/attributes.hpp"

#include "otlp/fields.hpp"

namespace gym::telemetry::otlp {

namespace {

template <class WriteValue>
void write(backward_writer& to, std::uint32_t field, std::string_view key, WriteValue&& value) {
    const std::size_t end = to.size();
    value();
    to.enclose(field::key_value::value, end);
    to.text(field::key_value::key, key);
    to.enclose(field, end);
}

}  // namespace

void write_attribute(backward_writer& to, std::uint32_t field, std::string_view key,
                     std::string_view value) {
    write(to, field, key, [&] { to.text(field::any_value::text, value); });
}

void write_attribute(backward_writer& to, std::uint32_t field, std::string_view key, bool value) {
    write(to, field, key, [&] { to.number(field::any_value::boolean, value ? 1 : 0); });
}

void write_attribute(backward_writer& to, std::uint32_t field, std::string_view key,
                     std::int64_t value) {
    write(to, field, key,
          [&] { to.number(field::any_value::integer, static_cast<std::uint64_t>(value)); });
}

void write_attribute(backward_writer& to, std::uint32_t field, std::string_view key, double value) {
    write(to, field, key, [&] { to.real(field::any_value::real, value); });
}

}  // namespace gym::telemetry::otlp
