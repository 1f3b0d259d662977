// SPDX-License-Identifier: Apache-2.0
#include "http/connect_counts.hpp"
#include "http/pool_recorder.hpp"
#include "http/transfer.hpp"

#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/gates.hpp>
#include <gym/telemetry/http/destination.hpp>
#include <gym/telemetry/http/observe.hpp>

#include <curl/curl.h>

namespace gym::telemetry::http {

namespace {

// curl gives every transfer a queue time of some microseconds; less than this is none.
constexpr double queued_ms_min = 1;

double ms_of(CURL* easy, CURLINFO which) noexcept {
    curl_off_t us = 0;
    curl_easy_getinfo(easy, which, &us);
    return static_cast<double>(us) / 1e3;
}

// Whether the connection was never made, as opposed to what happened on it later.
bool never_connected(CURL* easy, CURLcode result) noexcept {
    if (result == CURLE_OK) return false;
    switch (error_of(result)) {
        case http_error::resolve:
        case http_error::connect:
        case http_error::tls:
            return true;
        default:
            return ms_of(easy, CURLINFO_PRETRANSFER_TIME_T) <= 0;
    }
}

void observe(CURL* easy, CURLcode result, std::string_view destination) {
    pool_recorder& recorder = telemetry_recorder();
    if (error_of(result) == http_error::invalid_request) return;  // It never asked for anything.
    recorder.asked(destination);
    const double queued_ms = queue_ms_of(easy);
    const double total_ms = ms_of(easy, CURLINFO_TOTAL_TIME_T);
    if (queued_ms <= 0 && result == CURLE_OPERATION_TIMEDOUT) {
        recorder.queued(total_ms, queue_constraint::unknown, queue_outcome::abandoned, destination);
        return;
    }
    if (queued_ms >= queued_ms_min)
        recorder.queued(queued_ms, queue_constraint::unknown, queue_outcome::ok, destination);
    if (never_connected(easy, result)) {
        recorder.connected(std::max(total_ms - queued_ms, 0.0), connect_outcome::failed,
                           destination);
    } else if (connects_of(easy) > 0) {
        recorder.connected(connect_ms_of(easy), connect_outcome::ok, destination);
    }
}

}  // namespace

void observe_transfer(void* easy, int result) noexcept {
    if (easy == nullptr || !metrics_enabled()) return;
    try {
        observe(static_cast<CURL*>(easy), static_cast<CURLcode>(result), current_destination());
    } catch (...) {
        // Out of memory for a destination's name: the measurement is lost, the transfer is not.
    }
}

}  // namespace gym::telemetry::http
