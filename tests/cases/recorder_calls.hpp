// SPDX-License-Identifier: Apache-2.0
//
// The recorders of the API page by name.
#pragma once

#include "case_file.hpp"

#include <functional>
#include <string_view>

namespace gym::telemetry::cases {

// A call of a recorder with its arguments read, to be made any number of times; empty when `fn` is
// no recorder of the page.
std::function<void()> recorder_of(const call& f);

// The name of the instrument that a call records to, its first one; empty when it records to none.
std::string_view instrument_of(std::string_view fn);
std::string_view instrument_of(const std::vector<call>& calls);

}  // namespace gym::telemetry::cases
