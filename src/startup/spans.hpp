// SPDX-License-Identifier: Apache-2.0
//
// Spans of a startup: from stages with times of their own to finished spans.
#pragma once

#include "startup/anchor.hpp"

#include <gym/telemetry/startup.hpp>
#include <gym/telemetry/trace.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::detail {

using span_attributes = std::vector<std::pair<std::string, span_attribute_value>>;

// Name and type of a server (the type left out while unknown), and this process's id.
span_attributes server_attributes(std::string_view name, std::string_view type);

// One child of `parent` for each stage: `<prefix>.<stage>`, with the attributes and its stage.
void finish_stage_spans(const std::vector<startup_stage>& stages, std::string_view prefix,
                        const span_context& parent, const clock_anchor& clock,
                        const span_attributes& attributes);

// new_span_context, unless a test has put something else there, which may throw.
span_context begin_startup_span(const span_context& parent);
using span_beginning = span_context (*)(const span_context& parent);
void set_span_beginning_for_tests(span_beginning begin) noexcept;  // null: new_span_context

}  // namespace gym::telemetry::detail
