// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

namespace gym::telemetry::http {

// Makes a handle's TLS connections give back their record buffers (17 KB each way) while nothing is
// under way on them. OpenSSL can, and curl does not ask it to. Without effect when curl's TLS is
// another library, or an OpenSSL that is not the process's only one.
void release_idle_tls_buffers(CURL* easy);

}  // namespace gym::telemetry::http
