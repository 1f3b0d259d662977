// SPDX-License-Identifier: Apache-2.0
#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/http/destination.hpp>

namespace gym::telemetry::http {

namespace {

constinit thread_local const destination_scope* innermost
    __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

std::string_view current_destination() noexcept {
    return innermost == nullptr ? external_server_name : innermost->server_name_;
}

destination_scope::destination_scope(std::string_view server_name) noexcept
    : server_name_(server_name.empty() ? external_server_name : server_name), outer_(innermost) {
    innermost = this;
}

destination_scope::~destination_scope() {
    innermost = outer_;
}

}  // namespace gym::telemetry::http
