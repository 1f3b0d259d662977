// SPDX-License-Identifier: Apache-2.0
//
// For programs that have curl code of their own.
#pragma once

#include <gym/telemetry/detail/api.hpp>

namespace gym::telemetry::http {

// Records one finished transfer from curl's own timers. `easy` is its CURL*, `result` its CURLcode
// (the return value of curl_easy_perform, or the result of CURLMSG_DONE); call it before the handle
// is reset, used again or cleaned up, on the thread that owns it. The destination is that of the
// destination_scope around the call. No-op while metrics are off; never throws.
//
// It can tell: that there was a transfer (connect_total, one each, whatever curl did inside),
// whether new connections were opened and how long the last one took (connect_duration_ms), that
// opening it failed, and how long curl itself held the transfer back because of its own limits
// (queue_duration_ms, when that was at least a millisecond, or until the transfer's own timeout).
// It cannot tell: which limit held it back (the constraint is `unknown`), transfers that were taken
// out of the multi handle before they were done, the hops of redirects that curl followed and the
// connections opened for all but the last of them, nor a wait under a millisecond from none.
GYM_TELEMETRY_API void observe_transfer(void* easy, int result) noexcept;

}  // namespace gym::telemetry::http
