// SPDX-License-Identifier: Apache-2.0
#include "http/tls_buffers.hpp"

#include <string_view>

#include <dlfcn.h>

namespace gym::telemetry::http {

namespace {

// SSL_CTX_ctrl and two of its numbers, part of OpenSSL's ABI since 1.0. Looked up rather than
// linked: which TLS library there is, is curl's choice.
using control_function = long (*)(void* context, int what, long number, void* pointer);
constexpr int control_mode = 33;           // SSL_CTRL_MODE
constexpr long mode_release_buffers = 16;  // SSL_MODE_RELEASE_BUFFERS

// Only when curl's OpenSSL is a shared library that is loaded already, and no other definition of
// the function stands before it: it must be the one that made the contexts.
control_function find_control() noexcept {
    const char* used = curl_version_info(CURLVERSION_NOW)->ssl_version;
    const std::string_view version = used == nullptr ? "" : used;
    const char* name = version.starts_with("OpenSSL/3")     ? "libssl.so.3"
                       : version.starts_with("OpenSSL/1.1") ? "libssl.so.1.1"
                                                            : nullptr;
    void* library = name == nullptr ? nullptr : dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return nullptr;
    void* found = dlsym(library, "SSL_CTX_ctrl");
    if (found == nullptr || found != dlsym(RTLD_DEFAULT, "SSL_CTX_ctrl")) return nullptr;
    return reinterpret_cast<control_function>(found);
}

control_function control() noexcept {
    static const control_function found = find_control();
    return found;
}

CURLcode on_context(CURL*, void* context, void*) {
    control()(context, control_mode, mode_release_buffers, nullptr);
    return CURLE_OK;
}

}  // namespace

void release_idle_tls_buffers(CURL* easy) {
    if (control() != nullptr) curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, &on_context);
}

}  // namespace gym::telemetry::http
