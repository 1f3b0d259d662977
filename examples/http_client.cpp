// SPDX-License-Identifier: Apache-2.0
//
// Calls a model server through the instrumented pool and prints what the pool recorded.
//
//     http_client [URL]     without one it calls a small server that it starts itself
#include <gym/telemetry/http.hpp>
#include <gym/telemetry/telemetry.hpp>

#include <cstdio>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

namespace telemetry = gym::telemetry;
namespace http = gym::telemetry::http;

// Answers one connection after the other, so that the second request in flight has to wait.
class small_server {
public:
    small_server() : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
        listen(listener_, 16);
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/v1/responses";
        thread_ = std::thread([this] { serve(); });
    }
    ~small_server() {
        shutdown(listener_, SHUT_RDWR);
        thread_.join();
        close(listener_);
    }
    const std::string& url() const { return url_; }

private:
    void serve() {
        for (int fd; (fd = accept(listener_, nullptr, nullptr)) >= 0; close(fd)) {
            char request[4096];
            while (recv(fd, request, sizeof request, 0) > 0) {
                constexpr std::string_view answer =
                    "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{\"reward\":1.0}";
                if (send(fd, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) break;
            }
        }
    }

    int listener_;
    std::string url_;
    std::thread thread_;
};

void print(const telemetry::point& each) {
    std::printf("%s", each.instrument.c_str());
    for (const auto& [key, value] : each.attributes)
        if (const auto* text = std::get_if<std::string>(&value))
            std::printf(" %s=%s",
                        key.substr(key.rfind("server") == std::string::npos ? key.rfind('.') + 1
                                                                            : key.rfind("server"))
                            .c_str(),
                        text->c_str());
    if (const auto* count = std::get_if<std::int64_t>(&each.value))
        std::printf(": %lld\n", static_cast<long long>(*count));
    if (const auto* histogram = std::get_if<telemetry::histogram_value>(&each.value))
        std::printf(": %llu times, %.3f ms in all\n",
                    static_cast<unsigned long long>(histogram->count), histogram->sum);
}

// Sends some requests at once through a pool of one slot and waits for all of them.
int call(http::client& pool, const std::string& url) {
    constexpr int calls = 5;
    std::vector<std::promise<http::response>> answers(calls);
    for (std::promise<http::response>& each : answers) {
        http::request what;
        what.url = url;
        what.server_name = "policy_model";
        what.timeout_ms = 10'000;
        what.retry = {.retries = 2};
        pool.send(std::move(what),
                  [&each](http::response&& answer) { each.set_value(std::move(answer)); });
    }
    int failed = 0;
    for (std::promise<http::response>& each : answers) {
        const http::response answer = each.get_future().get();
        if (answer.answered() && answer.status == 200) continue;
        std::fprintf(stderr, "status %d: %s\n", answer.status, answer.message.c_str());
        ++failed;
    }
    return failed;
}

}  // namespace

int main(int count, char** values) {
    telemetry::options block;
    block.enabled = true;
    block.exporter = "memory";
    telemetry::init(block);

    int failed = 1;
    {
        const small_server local;
        std::string problem;
        const auto pool = http::client::open({.limit = 1}, &problem);
        if (pool == nullptr) {
            std::fprintf(stderr, "http_client: %s\n", problem.c_str());
            return 1;
        }
        failed = call(*pool, count > 1 ? values[1] : local.url());
    }
    for (const telemetry::point& each : telemetry::collect().points)
        if (each.instrument.starts_with("gym.http.")) print(each);
    telemetry::shutdown();
    return failed == 0 ? 0 : 1;
}
