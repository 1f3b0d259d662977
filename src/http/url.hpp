// SPDX-License-Identifier: Apache-2.0
//
// As much of URLs as the pool must know: whose connection a request needs, and where a redirect
// leads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gym::telemetry::http {

// scheme://host:port in lower case with the port always given: what shares connections and a
// per-host limit. Nothing when the URL is not http or https or has no host; curl judges the rest.
std::optional<std::string> origin_of(std::string_view url);

// Where `location`, absolute or relative, leads from `url`. Nothing when that is no http or https
// URL.
std::optional<std::string> resolve_redirect(const std::string& url, const std::string& location);

}  // namespace gym::telemetry::http
