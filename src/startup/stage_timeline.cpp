// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"

#include <gym/telemetry/startup.hpp>

#include <algorithm>

namespace gym::telemetry {

void stage_timeline::mark(std::string_view stage) {
    mark_at(stage, detail::steady_now_ns());
}

void stage_timeline::mark_at(std::string_view stage, std::int64_t end_ns) {
    end_ns = std::max(end_ns, end_ns_);
    stages_.push_back({std::string(stage), end_ns_, end_ns});
    end_ns_ = end_ns;
}

}  // namespace gym::telemetry
