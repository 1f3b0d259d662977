// SPDX-License-Identifier: Apache-2.0
#include "otlp/backward_writer.hpp"

#include <algorithm>

namespace gym::telemetry::otlp {

void backward_writer::grow(std::size_t count) {
    const std::size_t capacity = std::max({std::size_t{4096}, capacity_ * 2, size_ + count});
    // Not value-initialised: all of it is written before it is read.
    std::unique_ptr<char[]> data(new char[capacity]);
    if (size_ != 0) std::memcpy(data.get() + (capacity - size_), begin(), size_);
    data_ = std::move(data);
    capacity_ = capacity;
}

}  // namespace gym::telemetry::otlp
