// SPDX-License-Identifier: Apache-2.0
//
// A provider whose next answer the test sets.
#pragma once

#include <gym/telemetry/sandbox.hpp>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>

namespace gym::telemetry::test {

struct cancelled_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct final_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <class Error>
bool is_a(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error&) {
        return true;
    } catch (...) {
        return false;
    }
}

inline constexpr sandbox_errors fake_errors = {.is_cancellation = is_a<cancelled_error>,
                                               .is_final = is_a<final_error>};

struct fake_provider {
    std::function<std::string(sandbox_lifecycle&)> create = [](sandbox_lifecycle&) {
        return std::string("box-1");
    };
    std::function<release_result(std::string&)> release = [](std::string&) {
        return release_result::released;
    };
    std::atomic<int> releases{0};

    auto start() {
        return start_sandbox(
            "fake", [this](sandbox_lifecycle& life) { return create(life); }, releaser{this},
            fake_errors);
    }
    auto connect() {
        return connect_sandbox(
            "fake", [] { return std::string("theirs"); }, releaser{this}, fake_errors);
    }

    struct releaser {
        fake_provider* self;
        release_result operator()(std::string& id) const {
            ++self->releases;
            return self->release(id);
        }
    };
    void fail_release_with(const auto& error) {
        release = [error](std::string&) -> release_result { throw error; };
    }
};

using fake_sandbox = sandbox<std::string, fake_provider::releaser>;

}  // namespace gym::telemetry::test
