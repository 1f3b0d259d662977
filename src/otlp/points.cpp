// SPDX-License-Identifier: Apache-2.0
#include "otlp/points.hpp"

#include "otlp/fields.hpp"

#include <bit>
#include <cstring>

namespace gym::telemetry::otlp {

namespace {

namespace point = field::histogram_point;

// A tag of one byte and eight bytes of number.
constexpr std::size_t fixed_field = 9;
constexpr std::size_t start_at = 1, time_at = start_at + fixed_field,
                      count_at = time_at + fixed_field, sum_at = count_at + fixed_field;

char* put_fixed_field(char* to, std::uint32_t field, std::uint64_t value) noexcept {
    *to++ = static_cast<char>(tag_of(field, wire_type::fixed64));
    return put_fixed64(to, value);
}

void append_varint(std::string& to, std::uint64_t value) {
    char bytes[10];
    to.append(bytes, static_cast<std::size_t>(put_varint(bytes, value) - bytes));
}

void append_fixed_field(std::string& to, std::uint32_t field) {
    char bytes[fixed_field];
    put_fixed_field(bytes, field, 0);
    to.append(bytes, fixed_field);
}

void write_number(backward_writer& to, point_times times, std::uint32_t field, std::uint64_t value,
                  std::string_view attributes) {
    const std::size_t end = to.size();
    to.raw(attributes);
    to.fixed64(field, value);
    to.fixed64(field::number_point::time, static_cast<std::uint64_t>(times.time_ns));
    if (times.start_ns != 0)
        to.fixed64(field::number_point::start_time, static_cast<std::uint64_t>(times.start_ns));
    to.enclose(field::data::points, end);
}

}  // namespace

void write_number_point(backward_writer& to, point_times times, std::int64_t value,
                        std::string_view attributes) {
    write_number(to, times, field::number_point::integer, static_cast<std::uint64_t>(value),
                 attributes);
}

void write_number_point(backward_writer& to, point_times times, double value,
                        std::string_view attributes) {
    write_number(to, times, field::number_point::real, std::bit_cast<std::uint64_t>(value),
                 attributes);
}

histogram_writer::histogram_writer(std::span<const double> bounds) {
    for (const std::uint32_t field : {point::start_time, point::time, point::count, point::sum})
        append_fixed_field(block_, field);
    buckets_size_ = (bounds.size() + 1) * sizeof(std::uint64_t);
    append_varint(block_, tag_of(point::bucket_counts, wire_type::length_delimited));
    append_varint(block_, buckets_size_);
    buckets_at_ = block_.size();
    block_.append(buckets_size_, '\0');
    if (bounds.empty()) return;
    append_varint(block_, tag_of(point::bounds, wire_type::length_delimited));
    append_varint(block_, bounds.size_bytes());
    block_.append(reinterpret_cast<const char*>(bounds.data()), bounds.size_bytes());
}

void histogram_writer::set_times(point_times times) noexcept {
    put_fixed64(&block_[start_at], static_cast<std::uint64_t>(times.start_ns));
    put_fixed64(&block_[time_at], static_cast<std::uint64_t>(times.time_ns));
}

void histogram_writer::write(backward_writer& to, std::uint64_t count, double sum,
                             const std::uint64_t* buckets, std::string_view attributes,
                             const min_max* extremes) const {
    const std::size_t size =
        block_.size() + attributes.size() + (extremes != nullptr ? 2 * fixed_field : 0);
    const std::size_t size_size = varint_size(size);
    char* at = to.take(1 + size_size + size);
    *at++ = static_cast<char>(tag_of(field::data::points, wire_type::length_delimited));
    at = put_varint(at, size);
    std::memcpy(at, block_.data(), block_.size());
    put_fixed64(at + count_at, count);
    put_fixed64(at + sum_at, std::bit_cast<std::uint64_t>(sum));
    std::memcpy(at + buckets_at_, buckets, buckets_size_);
    at += block_.size();
    if (!attributes.empty()) std::memcpy(at, attributes.data(), attributes.size());
    at += attributes.size();
    if (extremes == nullptr) return;
    at = put_fixed_field(at, point::min, std::bit_cast<std::uint64_t>(extremes->min));
    put_fixed_field(at, point::max, std::bit_cast<std::uint64_t>(extremes->max));
}

}  // namespace gym::telemetry::otlp
