// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace gym::telemetry::detail {

// Metrics that are not of this process's recorders, under an identity of their own, which the
// export loop sends along with each export. Export thread only.
class guest_stream {
public:
    virtual ~guest_stream() = default;

    // The request to be sent now, good until end(); empty when there is none, and then there is no
    // end(). `last` asks for one only if it is news.
    virtual std::string_view begin(bool last) = 0;
    // What begin() gave has been sent; `answered`: every exporter has spoken its last word on it.
    virtual void end(bool answered) noexcept = 0;
};

}  // namespace gym::telemetry::detail
