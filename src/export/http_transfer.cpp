// SPDX-License-Identifier: Apache-2.0
#include "export/http_transfer.hpp"

#include "base/environment.hpp"
#include "base/url.hpp"
#include "export/gzip.hpp"

#include <algorithm>
#include <cstdint>
#include <new>

#include <sys/socket.h>
#include <unistd.h>

namespace gym::telemetry::detail {

namespace {

constexpr char user_agent[] = "gym-telemetry/" GYM_TELEMETRY_VERSION;

struct url_deleter {
    void operator()(CURLU* url) const noexcept { curl_url_cleanup(url); }
};
using url_pointer = std::unique_ptr<CURLU, url_deleter>;

std::string part_of(CURLU* url, CURLUPart part) {
    char* text = nullptr;
    if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
    std::string result(text);
    curl_free(text);
    return result;
}

// A proxy from the environment cannot reach this machine's own loopback.
bool is_loopback(std::string_view host) noexcept {
    return host == "localhost" || host.starts_with("127.") || host == "[::1]";
}

}  // namespace

bool prepare_http() noexcept {
    static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    return ready;
}

void socket_list::attach(CURL* handle) noexcept {
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &socket_list::open);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, this);
    curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, &socket_list::close);
    curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, this);
}

curl_socket_t socket_list::open(void* self, curlsocktype, curl_sockaddr* address) noexcept {
    const int made = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (made < 0) return CURL_SOCKET_BAD;
    for (std::atomic<int>& slot : static_cast<socket_list*>(self)->open_) {
        int expected = 0;
        if (slot.compare_exchange_strong(expected, made + 1, std::memory_order_relaxed)) break;
    }
    return made;
}

int socket_list::close(void* self, curl_socket_t which) noexcept {
    for (std::atomic<int>& slot : static_cast<socket_list*>(self)->open_) {
        int expected = which + 1;
        if (slot.compare_exchange_strong(expected, 0, std::memory_order_relaxed)) break;
    }
    return ::close(which);
}

void socket_list::close_all() noexcept {
    for (std::atomic<int>& slot : open_) {
        const int which = slot.exchange(0, std::memory_order_relaxed);
        if (which != 0) ::close(which - 1);
    }
}

result<std::unique_ptr<http_transfer>> http_transfer::make(const http_target& target,
                                                           socket_list& sockets) {
    if (!prepare_http()) return {errc::unavailable, "libcurl cannot be initialised"};
    std::unique_ptr<http_transfer> made(new http_transfer);
    made->handle_ = curl_easy_init();
    if (made->handle_ == nullptr) throw std::bad_alloc();
    if (!made->set_up(target, sockets))
        return {errc::invalid, "the URL or a certificate cannot be used"};
    return made;
}

http_transfer::~http_transfer() {
    curl_easy_cleanup(handle_);
    curl_slist_free_all(headers_);
}

bool http_transfer::set_up(const http_target& target, socket_list& sockets) {
    const url_pointer url(curl_url());
    if (url == nullptr) throw std::bad_alloc();
    if (!is_usable_http_url(target.url) ||
        curl_url_set(url.get(), CURLUPART_URL, target.url.c_str(), 0) != CURLUE_OK)
        return false;
    const bool loopback = is_loopback(part_of(url.get(), CURLUPART_HOST));
    for (const CURLUPart secret : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY})
        curl_url_set(url.get(), secret, nullptr, 0);
    shown_url_ = part_of(url.get(), CURLUPART_URL);
    compress_ = target.compress;

    std::vector<std::string> lines = {"Content-Type: application/x-protobuf", "Expect:"};
    if (compress_) lines.emplace_back("Content-Encoding: gzip");
    // libcurl wants a semicolon for a header without a value.
    for (const auto& [name, value] : target.headers)
        lines.push_back(value.empty() ? name + ";" : name + ": " + value);
    for (const std::string& line : lines) {
        curl_slist* longer = curl_slist_append(headers_, line.c_str());
        if (longer == nullptr) throw std::bad_alloc();
        headers_ = longer;
    }

    bool good = true;
    const auto set = [&](CURLoption option, auto value) {
        good &= curl_easy_setopt(handle_, option, value) == CURLE_OK;
    };
    set(CURLOPT_URL, target.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_HTTPHEADER, headers_);
    set(CURLOPT_USERAGENT, user_agent);
    set(CURLOPT_POST, 1L);
    set(CURLOPT_NOSIGNAL, 1L);
    // A name server that does not answer must not hold up a shutdown.
    set(CURLOPT_QUICK_EXIT, 1L);
    set(CURLOPT_HEADERFUNCTION, &http_transfer::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &http_transfer::on_body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_PRIVATE, this);
    if (loopback) set(CURLOPT_PROXY, "");
    if (!target.certificate.empty()) set(CURLOPT_CAINFO, target.certificate.c_str());
    if (!target.client_certificate.empty()) set(CURLOPT_SSLCERT, target.client_certificate.c_str());
    if (!target.client_key.empty()) set(CURLOPT_SSLKEY, target.client_key.c_str());
    sockets.attach(handle_);
    return good;
}

void http_transfer::set_body(std::string_view body) {
    body_ = body;
    if (!compress_) return;
    gzip(body, compressed_);
    body_ = compressed_;
}

bool http_transfer::start(CURLM* multi, std::chrono::milliseconds timeout) noexcept {
    status_ = 0;
    retry_after_.clear();
    answer_.clear();
    answered_at_ = {};
    curl_easy_setopt(handle_, CURLOPT_POSTFIELDS, body_.data());
    curl_easy_setopt(handle_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
    curl_easy_setopt(handle_, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
    return curl_multi_add_handle(multi, handle_) == CURLM_OK;
}

void http_transfer::stop(CURLM* multi) noexcept {
    curl_multi_remove_handle(multi, handle_);
}

std::size_t http_transfer::on_header(char* data, std::size_t, std::size_t size,
                                     void* self) noexcept {
    http_transfer& to = *static_cast<http_transfer*>(self);
    const std::string_view line(data, size);
    try {
        if (line.starts_with("HTTP/")) {  // a further answer, after 100 Continue
            to.retry_after_.clear();
            to.status_ = 0;
            return size;
        }
        if (trim(line).empty()) {
            long status = 0;
            curl_easy_getinfo(to.handle_, CURLINFO_RESPONSE_CODE, &status);
            if (status >= 200) to.status_ = status;
            to.answered_at_ = std::chrono::steady_clock::now();
            return size;
        }
        const std::size_t colon = line.find(':');
        if (colon != line.npos && to_lower(line.substr(0, colon)) == "retry-after")
            to.retry_after_ = trim(line.substr(colon + 1));
        return size;
    } catch (const std::bad_alloc&) {
        return CURL_WRITEFUNC_ERROR;
    }
}

std::size_t http_transfer::on_body(char* data, std::size_t, std::size_t size, void* self) noexcept {
    http_transfer& to = *static_cast<http_transfer*>(self);
    const std::size_t wanted = std::min(size, answer_bytes_max - to.answer_.size());
    try {
        to.answer_.append(data, wanted);
    } catch (const std::bad_alloc&) {
        return CURL_WRITEFUNC_ERROR;
    }
    // Ends the transfer; the status that is known by now decides.
    return wanted == size ? size : CURL_WRITEFUNC_ERROR;
}

}  // namespace gym::telemetry::detail
