// SPDX-License-Identifier: Apache-2.0
//
// One logical request on its way: its acquisition, its curl handle while it has one, and the answer
// as it comes together.
#pragma once

#include "http/admission.hpp"
#include "http/placement.hpp"
#include "http/timer_heap.hpp"

#include <gym/telemetry/http/client.hpp>

#include <cstdint>
#include <string>

#include <curl/curl.h>

namespace gym::telemetry::http {

class client_loop;

struct transfer {
    request_id id = 0;
    request what;
    completion* then = nullptr;
    client_loop* loop = nullptr;

    // Where it stands; redirects change these, `what` stays as it was asked.
    std::string url;
    std::string origin;
    std::string method;
    std::string destination;
    bool with_body = false;
    bool with_credentials = true;  // not once it was led to another origin
    int retries = 0;

    acquisition slot;
    timer_hook deadline;  // of everything together
    timer_hook pause;     // before a retry
    CURL* easy = nullptr;
    placement::place place;  // while curl works on it
    curl_slist* headers = nullptr;
    std::size_t body_sent = 0;

    // Of this attempt.
    bool dialled = false;                   // a socket was opened for it
    bool reached = false;                   // it had a connection, so the server may have seen it
    bool head_done = false;                 // the headers of the final (not 1xx) answer are there
    bool discarded = false;                 // its body is read and thrown away
    bool body_begun = false;                // the sink has seen something
    bool sink_holds = false;                // begin() paused
    http_error refused = http_error::none;  // why a callback of ours stopped curl
    response answer;

    transfer() = default;
    ~transfer();
    transfer(const transfer&) = delete;
    transfer& operator=(const transfer&) = delete;
};

// Empty when the request can be sent as it stands, else what is wrong with it. Sets origin, url and
// what else follows from the request.
std::string prepare(transfer& t);
// Back to the state before an attempt.
void reset_attempt(transfer& t);
// Everything that differs from one request to the next. False when curl is out of memory.
bool configure(transfer& t);
// What is the same for all requests of a client, once for each handle.
void configure_handle(CURL* easy, const client_options& options);

http_error error_of(CURLcode code) noexcept;
// The time from which curl began to work on the connection until it was usable, in ms.
double connect_ms_of(CURL* easy) noexcept;
int connects_of(CURL* easy) noexcept;
// How long curl itself held the transfer back; 0 while it still does.
double queue_ms_of(CURL* easy) noexcept;
// Back to the start of the body; false when it cannot be sent again.
bool rewind_body(transfer& t);

}  // namespace gym::telemetry::http
