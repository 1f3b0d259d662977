// SPDX-License-Identifier: Apache-2.0
//
// What this project needs to know of URLs; libcurl does the rest.
#pragma once

#include <string>
#include <string_view>

namespace gym::telemetry::detail {

// Whether something can be sent there: http or https, a host, no white space or control character,
// a port from 1 to 65535 where one is given.
bool is_usable_http_url(std::string_view url) noexcept;

// The same for gRPC, which also takes `host:port` without a scheme.
bool is_usable_grpc_target(std::string_view target) noexcept;

// `base` and `path` with exactly one slash between them. `path` has none at its start.
std::string join_url(std::string_view base, std::string_view path);

// For people: a user name and password in the URL are replaced by ***.
std::string without_credentials(std::string_view url);

}  // namespace gym::telemetry::detail
