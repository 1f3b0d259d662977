// SPDX-License-Identifier: Apache-2.0
//
// The memory exporter: a reader whose collections become the public `collection`.
#pragma once

#include "engine/reader.hpp"

#include <gym/telemetry/collection.hpp>

#include <memory>
#include <mutex>

namespace gym::telemetry::detail {

// A snapshot as plain values that live on their own.
collection to_collection(const engine::snapshot& from);

class memory_reader {
public:
    memory_reader(std::shared_ptr<engine::generation> source, temporality time);

    // Any thread; one collection at a time.
    collection collect();

private:
    std::mutex mutex_;
    engine::reader reader_;
};

}  // namespace gym::telemetry::detail
