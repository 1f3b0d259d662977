// SPDX-License-Identifier: Apache-2.0
//
// Which shape an item of a conversation must have: by its type, or by what it holds.
#pragma once

#include "health/shape_check.hpp"

#include <cstdint>

namespace gym::telemetry::health {

// What item_shapes finds of an item.
struct item_shape {
    enum class verdict : std::uint8_t {
        known,
        invalid,
        raises,  // looking it up raises TypeError in the original, which ends the whole validation
    };
    verdict outcome = verdict::invalid;
    std::uint16_t node = 0;
};

// The fields are those of the shape `item`. Token metadata is checked apart (has_token_metadata).
item_shape find_item_shape(const object_fields& fields);

// Whether any of the four fields of token metadata is there; then the item must match `token_ids`.
bool has_token_metadata(const object_fields& fields);

// An input_video part has exactly one source, and that is a text or an object with a url.
bool video_has_source(const object_fields& fields);

}  // namespace gym::telemetry::health
