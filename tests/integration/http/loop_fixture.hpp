// SPDX-License-Identifier: Apache-2.0
//
// A client's loop driven by the test itself, with a recorder that keeps every line: real sockets,
// no second thread on our side, nothing that depends on how fast the machine is.
#pragma once

#include "http/client_loop.hpp"
#include "http_server.hpp"
#include "recording_sink.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

namespace gym::telemetry::http {

using gym::telemetry::testing::http_server;
using gym::telemetry::testing::server_reply;
using gym::telemetry::testing::server_request;

class HttpLoop : public ::testing::Test {
protected:
    struct pending final : completion {
        void done(response&& got) override {
            answer = std::move(got);
            over = true;
            if (then) then();
        }
        request_id id = 0;
        bool over = false;
        response answer;
        std::function<void()> then;
    };

    void make(slot_limits limits, client_options options = {}) {
        loop.emplace(options, limits, &sink);
        ASSERT_TRUE(loop->ready());
    }

    pending& send(request what) {
        pending& made = sent.emplace_back();
        auto t = std::make_unique<transfer>();
        t->what = std::move(what);
        t->then = &made;
        made.id = loop->submit(std::move(t));
        return made;
    }
    pending& send(const std::string& url) {
        request what;
        what.url = url;
        what.server_name = "model";
        return send(std::move(what));
    }

    // Drives until it holds. A test that would never end fails instead.
    template <class Condition>
    void until(Condition holds) {
        const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!holds()) {
            ASSERT_LT(std::chrono::steady_clock::now(), last) << "it never came to pass";
            loop->drive(5);
        }
    }
    void until_all_are_over() {
        until([&] {
            for (const pending& each : sent)
                if (!each.over) return false;
            return true;
        });
    }

    // How many recorded lines begin and end like this.
    int lines(const std::string& first, const std::string& last) const {
        int count = 0;
        for (const std::string& line : sink.lines)
            count += line.starts_with(first) && line.ends_with(last);
        return count;
    }

    testing::recording_sink sink;
    std::deque<pending> sent;
    std::optional<client_loop> loop;
};

}  // namespace gym::telemetry::http
