// SPDX-License-Identifier: Apache-2.0
//
// Which server a piece of HTTP work is for: the value of nemo.gym.http.destination.server.name.
//
//     {
//         gym::telemetry::http::destination_scope to("policy_model");
//         ... a transfer with curl code of one's own, and its retries ...
//         gym::telemetry::http::observe_transfer(easy);
//     }
#pragma once

#include <gym/telemetry/detail/api.hpp>

#include <string_view>

namespace gym::telemetry::http {

// The name that the innermost scope of this thread carries, `external` when there is none. Valid
// until that scope ends. One thread-local load.
GYM_TELEMETRY_API std::string_view current_destination() noexcept;

// Set around one logical request and its retries. The name that stood before comes back when the
// scope ends; an empty name is none, which counts as `external`. Scopes of a thread nest, and none
// outlives the one around it. `server_name` is not copied and must live as long as the scope.
//
// It belongs to the thread, not to a coroutine: do not keep one across a co_await. The client
// (client.hpp) sets a scope of its own around each attempt, from request::server_name alone, so
// that work done on behalf of one server never lends its name to a request that has none.
class destination_scope {
public:
    GYM_TELEMETRY_API explicit destination_scope(std::string_view server_name) noexcept;
    GYM_TELEMETRY_API ~destination_scope();
    destination_scope(const destination_scope&) = delete;
    destination_scope& operator=(const destination_scope&) = delete;

private:
    std::string_view server_name_;
    const destination_scope* outer_;
    friend std::string_view current_destination() noexcept;
};

}  // namespace gym::telemetry::http
