// SPDX-License-Identifier: Apache-2.0
#include "http/transfer.hpp"

#include "base/diagnostics.hpp"
#include "http/client_loop.hpp"
#include "http/retry.hpp"
#include "http/tls_buffers.hpp"
#include "http/url.hpp"

#include <gym/telemetry/constants.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace gym::telemetry::http {

namespace {

char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

bool is_token(std::string_view text) noexcept {
    constexpr std::string_view others = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
               others.find(c) != std::string_view::npos;
    });
}

// Nothing that could end the line and begin another header.
bool is_value(std::string_view text) noexcept {
    return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

bool is_credential(std::string_view name) noexcept {
    return same_name(name, "authorization") || same_name(name, "cookie") ||
           same_name(name, "proxy-authorization");
}

std::string_view trimmed(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Runs code of the application's. What it throws ends its request and nothing else.
template <class Result, class Call>
Result shielded(transfer& t, Result when_thrown, Call call) noexcept {
    try {
        return call();
    } catch (...) {
        t.refused = http_error::body;
        telemetry::detail::diagnose("http.body",
                                    "a body source or sink threw; its request has failed");
        return when_thrown;
    }
}

// --- what curl calls -----------------------------------------------------------------------------

void begin_head(transfer& t, std::string_view line) {
    t.answer.headers.clear();
    t.answer.status = 0;
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return;
    const std::string_view rest = line.substr(space + 1);
    std::from_chars(rest.data(), rest.data() + rest.size(), t.answer.status);
}

bool can_go_again(const transfer& t) {
    return !t.with_body || !t.what.source || t.what.source->can_rewind();
}

// The head is whole: is this the answer, or one that sends us elsewhere or makes us come again?
void end_head(transfer& t) {
    if (t.answer.status < 200) return;
    t.head_done = true;
    const int status = t.answer.status;
    const bool led_on = is_redirect(status) && t.what.max_redirects > 0 &&
                        !t.answer.header_value("location").empty();
    const bool again = may_retry(t.what, t.retries, http_error::none, status, true);
    t.discarded = led_on || (again && can_go_again(t));
    if (t.discarded || !t.what.sink) return;
    t.body_begun = true;
    const auto flow =
        shielded(t, body_sink::flow::abort, [&] { return t.what.sink->begin(t.answer); });
    if (flow == body_sink::flow::abort) t.refused = http_error::body;
    t.sink_holds = flow == body_sink::flow::pause;
}

std::size_t on_header(char* data, std::size_t, std::size_t size, void* user) {
    auto& t = *static_cast<transfer*>(user);
    if (t.head_done) return size;  // trailers
    const std::string_view line(data, size);
    if (line.starts_with("HTTP/")) {
        begin_head(t, line);
    } else if (trimmed(line).empty()) {
        end_head(t);
    } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
        t.answer.headers.push_back(
            {std::string(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1)))});
    }
    return t.refused == http_error::none ? size : 0;
}

std::size_t on_body(char* data, std::size_t, std::size_t size, void* user) {
    auto& t = *static_cast<transfer*>(user);
    if (t.discarded) return size;
    if (t.what.sink) {
        if (std::exchange(t.sink_holds, false)) return CURL_WRITEFUNC_PAUSE;
        const auto flow =
            shielded(t, body_sink::flow::abort, [&] { return t.what.sink->write({data, size}); });
        if (flow == body_sink::flow::pause) return CURL_WRITEFUNC_PAUSE;
        if (flow == body_sink::flow::go_on) return size;
    } else if (t.answer.body.size() + size <= t.loop->body_size_max()) {
        t.answer.body.append(data, size);
        return size;
    }
    t.refused = http_error::body;
    return CURL_WRITEFUNC_ERROR;
}

std::size_t on_read(char* into, std::size_t, std::size_t size, void* user) {
    auto& t = *static_cast<transfer*>(user);
    const std::ptrdiff_t got =
        shielded(t, body_source::abort, [&] { return t.what.source->read(std::span(into, size)); });
    if (got == body_source::pause) return CURL_READFUNC_PAUSE;
    if (got >= 0 && static_cast<std::size_t>(got) <= size) return static_cast<std::size_t>(got);
    t.refused = http_error::body;
    return CURL_READFUNC_ABORT;
}

// curl goes back to the start of the body when a connection it reused was dead.
int on_seek(void* user, curl_off_t offset, int origin) {
    auto& t = *static_cast<transfer*>(user);
    if (origin != SEEK_SET || offset != 0) return CURL_SEEKFUNC_CANTSEEK;
    return rewind_body(t) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_CANTSEEK;
}

int on_connected(void* user, char*, char*, int, int) {
    auto& t = *static_cast<transfer*>(user);
    t.loop->connected(t);
    return CURL_PREREQFUNC_OK;
}

curl_socket_t on_open_socket(void* user, curlsocktype, curl_sockaddr* address) {
    auto& t = *static_cast<transfer*>(user);
    return t.loop->open_socket(t, *address);
}

// --- options of a handle -------------------------------------------------------------------------

template <class Value>
bool set(CURL* easy, CURLoption option, Value value) {
    return curl_easy_setopt(easy, option, value) == CURLE_OK;
}

bool append(curl_slist*& list, const std::string& line) {
    curl_slist* longer = curl_slist_append(list, line.c_str());
    if (longer == nullptr) return false;
    list = longer;
    return true;
}

bool make_headers(transfer& t) {
    curl_slist_free_all(std::exchange(t.headers, nullptr));
    bool fine = true;
    for (const header& each : t.what.headers) {
        if (!t.with_credentials && is_credential(each.name)) continue;
        // To curl a name with ':' and nothing after it means "leave this header out".
        fine &= append(t.headers, each.name + (each.value.empty() ? ";" : ": " + each.value));
    }
    if (!t.what.traceparent.empty())
        fine &= append(t.headers, "traceparent: " + t.what.traceparent);
    // Without it curl waits up to a second for a permission that many servers never give.
    if (t.with_body) fine &= append(t.headers, "Expect:");
    return fine;
}

bool set_method(transfer& t) {
    CURL* easy = t.easy;
    const bool streamed = t.with_body && t.what.source;
    bool fine = set(easy, CURLOPT_HTTPGET, 1L);  // takes back what the request before has set
    const char* custom = nullptr;
    if (streamed) {
        fine &= set(easy, CURLOPT_UPLOAD, 1L) &&
                set(easy, CURLOPT_INFILESIZE_LARGE,
                    static_cast<curl_off_t>(t.what.source->size_bytes())) &&
                set(easy, CURLOPT_READDATA, &t) && set(easy, CURLOPT_SEEKDATA, &t);
        if (t.method != "PUT") custom = t.method.c_str();
    } else if (t.with_body) {
        fine &= set(easy, CURLOPT_POST, 1L) && set(easy, CURLOPT_POSTFIELDS, t.what.body.data()) &&
                set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(t.what.body.size()));
        if (t.method != "POST") custom = t.method.c_str();
    } else if (t.method == "HEAD") {
        fine &= set(easy, CURLOPT_NOBODY, 1L);
    } else if (t.method != "GET") {
        custom = t.method.c_str();
    }
    return fine && set(easy, CURLOPT_CUSTOMREQUEST, custom);
}

void set_text(CURL* easy, CURLoption option, const std::string& value) {
    if (!value.empty()) curl_easy_setopt(easy, option, value.c_str());
}

long curl_version(http_version version) noexcept {
    switch (version) {
        case http_version::http_2:
            return CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
        case http_version::http_2_tls:
            return CURL_HTTP_VERSION_2TLS;
        case http_version::http_1_1:
            break;
    }
    return CURL_HTTP_VERSION_1_1;
}

}  // namespace

transfer::~transfer() {
    curl_slist_free_all(headers);
}

std::string prepare(transfer& t) {
    t.destination = t.what.server_name.empty() ? external_server_name : t.what.server_name;
    t.method = t.what.method;
    // A POST always says how long its body is, even when there is none.
    t.with_body = t.what.source != nullptr || !t.what.body.empty() || t.method == "POST";
    t.url = t.what.url;
    if (!is_token(t.method)) return "the method is not a token";
    for (const header& each : t.what.headers) {
        if (!is_token(each.name)) return "a header's name is not a token";
        if (!is_value(each.value)) return "the value of header " + each.name + " breaks its line";
    }
    if (!is_value(t.what.traceparent)) return "the traceparent breaks its line";
    const auto origin = origin_of(t.url);
    if (!origin || !is_value(t.url)) return "the URL is not one of http or https";
    t.origin = *origin;
    return {};
}

void reset_attempt(transfer& t) {
    t.dialled = t.reached = t.head_done = t.discarded = t.body_begun = t.sink_holds = false;
    t.refused = http_error::none;
    t.answer.status = 0;
    t.answer.error = http_error::none;
    t.answer.message.clear();
    t.answer.headers.clear();
    t.answer.body.clear();
}

void configure_handle(CURL* easy, const client_options& options) {
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, curl_version(options.version));
    // Streams wait for the connection that is being opened rather than open one each.
    if (options.version != http_version::http_1_1) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    if (options.idle_connections_max == 0) curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, static_cast<long>(options.idle_timeout_s));
    curl_easy_setopt(easy, CURLOPT_MAXLIFETIME_CONN,
                     static_cast<long>(options.connection_age_max_s));
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, options.tls.verify ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, options.tls.verify ? 2L : 0L);
    set_text(easy, CURLOPT_CAINFO, options.tls.ca_file);
    set_text(easy, CURLOPT_SSLCERT, options.tls.client_certificate);
    set_text(easy, CURLOPT_SSLKEY, options.tls.client_key);
    release_idle_tls_buffers(easy);
    set_text(easy, CURLOPT_USERAGENT, options.user_agent);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_body);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &on_header);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, &on_read);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, &on_seek);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &on_connected);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &on_open_socket);
}

bool configure(transfer& t) {
    CURL* easy = t.easy;
    return make_headers(t) && set(easy, CURLOPT_URL, t.url.c_str()) && set_method(t) &&
           set(easy, CURLOPT_HTTPHEADER, t.headers) && set(easy, CURLOPT_PRIVATE, &t) &&
           set(easy, CURLOPT_WRITEDATA, &t) && set(easy, CURLOPT_HEADERDATA, &t) &&
           set(easy, CURLOPT_PREREQDATA, &t) && set(easy, CURLOPT_OPENSOCKETDATA, &t);
}

http_error error_of(CURLcode code) noexcept {
    switch (code) {
        case CURLE_OK:
            return http_error::none;
        case CURLE_URL_MALFORMAT:
            return http_error::invalid_request;
        case CURLE_COULDNT_RESOLVE_HOST:
        case CURLE_COULDNT_RESOLVE_PROXY:
            return http_error::resolve;
        case CURLE_COULDNT_CONNECT:
            return http_error::connect;
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_CIPHER:
        case CURLE_SSL_ISSUER_ERROR:
            return http_error::tls;
        case CURLE_OPERATION_TIMEDOUT:
            return http_error::timed_out;
        case CURLE_GOT_NOTHING:
        case CURLE_RECV_ERROR:
        case CURLE_SEND_ERROR:
        case CURLE_PARTIAL_FILE:
        case CURLE_HTTP2_STREAM:
            return http_error::reset;
        case CURLE_WRITE_ERROR:
        case CURLE_READ_ERROR:
        case CURLE_ABORTED_BY_CALLBACK:
        case CURLE_SEND_FAIL_REWIND:
            return http_error::body;
        case CURLE_WEIRD_SERVER_REPLY:
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_HTTP2:
        case CURLE_BAD_CONTENT_ENCODING:
            return http_error::protocol;
        default:
            return http_error::other;
    }
}

double connect_ms_of(CURL* easy) noexcept {
    curl_off_t connected = 0, secured = 0;
    curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &connected);
    curl_easy_getinfo(easy, CURLINFO_APPCONNECT_TIME_T, &secured);
    const double until = static_cast<double>(std::max(connected, secured)) / 1e3;
    return std::max(until - queue_ms_of(easy), 0.0);
}

double queue_ms_of(CURL* easy) noexcept {
    curl_off_t queued = 0;
    curl_easy_getinfo(easy, CURLINFO_QUEUE_TIME_T, &queued);
    return static_cast<double>(queued) / 1e3;
}

bool rewind_body(transfer& t) {
    if (!t.what.source) return true;
    return shielded(t, false, [&] { return t.what.source->rewind(); });
}

int connects_of(CURL* easy) noexcept {
    long connects = 0;
    curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &connects);
    return static_cast<int>(connects);
}

}  // namespace gym::telemetry::http
