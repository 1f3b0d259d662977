// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace gym::telemetry::detail {

// `data` as one gzip member, in place of what `to` held. The same data gives the same bytes: there
// is no time in them. Throws bad_alloc.
void gzip(std::string_view data, std::string& to);

}  // namespace gym::telemetry::detail
