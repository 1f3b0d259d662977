// SPDX-License-Identifier: Apache-2.0
//
// Complaints of the library. It prints nothing by itself: what it has to say goes to a handler that
// the application sets, at most once a minute for each cause and subject.
//
//     gym::telemetry::set_diagnostics_handler(
//         [](const gym::telemetry::diagnostic& d, void*) {
//             std::fprintf(stderr, "telemetry: %.*s\n", int(d.message.size()), d.message.data());
//         });
#pragma once

#include <gym/telemetry/detail/api.hpp>

#include <string_view>

namespace gym::telemetry {

struct diagnostic {
    // Names the kind of complaint, such as "config.value" or "export.failed". Stable, for programs.
    std::string_view cause;
    // One sentence for people, with the variable or file, its value, and what happens instead.
    // Never holds secrets (header values) nor text of prompts or commands.
    std::string_view message;
};

// Called from any thread that meets a problem, never from a recorder of a known series, and never
// while the library holds a lock. `context` is what was given when the handler was set. The texts
// live until the call returns. An exception that leaves the handler is swallowed.
using diagnostics_handler = void (*)(const diagnostic& what, void* context);

// Null switches complaints off (the default). Thread-safe. A call that is under way on another
// thread may still reach the old handler, so its context must outlive that call.
GYM_TELEMETRY_API void set_diagnostics_handler(diagnostics_handler handler,
                                               void* context = nullptr) noexcept;

}  // namespace gym::telemetry
