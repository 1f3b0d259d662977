// SPDX-License-Identifier: Apache-2.0
//
// Field numbers of OTLP 1.x, as far as they are written or read by hand. The whole schema, for
// JSON, is in schema.hpp. Source: opentelemetry-proto; tests/unit/otlp holds both to Debian's copy
// of it.
#pragma once

#include <cstdint>

namespace gym::telemetry::otlp {

namespace field {

namespace request {  // Export{Metrics,Trace}ServiceRequest
inline constexpr std::uint32_t resources = 1;
}
namespace response {  // Export{Metrics,Trace}ServiceResponse and its partial success
inline constexpr std::uint32_t partial_success = 1, rejected = 1, error_message = 2;
}
namespace per_resource {  // ResourceMetrics, ResourceSpans
inline constexpr std::uint32_t resource = 1, scopes = 2;
}
namespace resource {
inline constexpr std::uint32_t attributes = 1;
}
namespace per_scope {  // ScopeMetrics, ScopeSpans
inline constexpr std::uint32_t scope = 1, items = 2;
}
namespace scope {
inline constexpr std::uint32_t name = 1, version = 2;
}
namespace key_value {
inline constexpr std::uint32_t key = 1, value = 2;
}
namespace any_value {
inline constexpr std::uint32_t text = 1, boolean = 2, integer = 3, real = 4;
}
namespace metric {
inline constexpr std::uint32_t name = 1, description = 2, unit = 3, gauge = 5, sum = 7,
                               histogram = 9;
}
namespace data {  // Gauge, Sum, Histogram
inline constexpr std::uint32_t points = 1, temporality = 2, monotonic = 3;
}
namespace number_point {
inline constexpr std::uint32_t start_time = 2, time = 3, real = 4, integer = 6, attributes = 7;
}
namespace histogram_point {
inline constexpr std::uint32_t start_time = 2, time = 3, count = 4, sum = 5, bucket_counts = 6,
                               bounds = 7, attributes = 9, min = 11, max = 12;
}
namespace span {
inline constexpr std::uint32_t trace_id = 1, span_id = 2, trace_state = 3, parent_span_id = 4,
                               name = 5, kind = 6, start_time = 7, end_time = 8, attributes = 9,
                               status = 15, flags = 16;
}
namespace status {
inline constexpr std::uint32_t message = 2, code = 3;
}

}  // namespace field

enum class aggregation_temporality : std::uint8_t { delta = 1, cumulative = 2 };

}  // namespace gym::telemetry::otlp
