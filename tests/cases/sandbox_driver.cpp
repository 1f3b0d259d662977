// SPDX-License-Identifier: Apache-2.0
//
// Driver `sandbox_wrapper`: lifecycle code over a provider that does what the case says.
#include "compare.hpp"
#include "diagnostics_log.hpp"
#include "drivers.hpp"
#include "expectations.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/sandbox.hpp>
#include <gym/telemetry/sandbox_retry.hpp>

#include <algorithm>
#include <functional>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>

namespace gym::telemetry::cases {

namespace {

enum class error_is : std::uint8_t { retryable, final, cancellation };

struct provider_error : std::runtime_error {
    explicit provider_error(error_is what)
        : std::runtime_error("the provider's own words"), is(what) {}
    error_is is;
};

template <error_is Kind>
bool is(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const provider_error& thrown) {
        return thrown.is == Kind;
    } catch (...) {
        return false;
    }
}

constexpr sandbox_errors rules = {.is_cancellation = is<error_is::cancellation>,
                                  .is_final = is<error_is::final>};

using release_function = std::function<release_result(std::string&)>;
using held_sandbox = sandbox<std::string, release_function>;

// The case's sandbox object and its provider.
class sandbox_play {
public:
    void play(const std::string& event, const std::string& provider) {
        try {
            happen(event, provider);
        } catch (const provider_error&) {
            error_reached_ = true;
        }
    }
    bool error_reached() const { return error_reached_; }

private:
    void happen(const std::string& event, const std::string& provider) {
        if (event.starts_with("create_")) return create(event, provider);
        if (event.starts_with("exec_")) return exec(event, provider);
        if (event.starts_with("stop_")) return stop(event);
        if (event == "connect_ok") {
            box_ = connect_sandbox(provider, [] { return std::string("box"); }, release(), rules);
        } else if (event == "initial_upload_raises") {
            if (!box_) create("create_ok", provider);
            // The caller's scope ends by the error of its upload, and the sandbox with it.
            const held_sandbox scope = std::move(box_);
            throw provider_error(error_is::retryable);
        } else if (event != "provider_deleted_it") {  // which nobody here is told
            throw failure("event not played: " + event);
        }
    }

    void create(const std::string& event, const std::string& provider) {
        if (event == "create_retried") {
            const create_retries once = {
                .attempts = 2, .wait = [](std::chrono::nanoseconds, void*) { return true; }};
            retry_sandbox_create(provider, once, [](const create_attempt& attempt) {
                if (attempt.number == 1) throw provider_error(error_is::retryable);
                return std::string("box");
            });
        } else if (event == "create_ok") {
            box_ = start_sandbox(provider, [] { return std::string("box"); }, release(), rules);
        } else if (event == "create_raises") {
            box_ = start_sandbox(
                provider, []() -> std::string { throw provider_error(error_is::retryable); },
                release(), rules);
        } else if (event == "create_cancelled_after_provider_created") {
            box_ = start_sandbox(
                provider,
                [](sandbox_lifecycle& life) -> std::string {
                    life.made("box");
                    throw provider_error(error_is::cancellation);
                },
                release(), rules);
        } else {
            throw failure("event not played: " + event);
        }
        was_made_ = true;
    }

    void exec(const std::string& event, const std::string& provider) {
        const auto command = [&] {
            if (event == "exec_raises") throw provider_error(error_is::retryable);
            return event == "exec_nonzero" ? 1 : 0;
        };
        if (was_made_)
            box_.exec(command);
        else
            time_sandbox_exec(provider, command, rules);
    }

    void stop(const std::string& event) {
        on_release_ = event;
        if (event != "stop_concurrent_x2") {
            box_.release();
            return;
        }
        std::latch start(2);
        const auto stop_too = [&] {
            start.arrive_and_wait();
            box_.release();
        };
        std::thread other(stop_too);
        stop_too();
        other.join();
    }

    release_function release() {
        return [this](std::string&) {
            if (on_release_ == "stop_close_raises") throw provider_error(error_is::retryable);
            if (on_release_ == "stop_close_raises_for_good") throw provider_error(error_is::final);
            return on_release_ == "stop_not_found" ? release_result::not_found
                                                   : release_result::released;
        };
    }

    std::string on_release_;
    bool error_reached_ = false;
    bool was_made_ = false;
    held_sandbox box_;
};

void check_properties(const case_file& c, const observations& seen,
                      const std::vector<std::string>& messages) {
    for (const json_value& property : c.properties()) {
        const std::string& name = property.find("check")->text;
        if (name == "value_eq") {
            const auto series = of_instrument(seen.last(), sandbox_active_instrument);
            require(series.size() < 2, "there is more than one series");
            const double value = series.empty() ? 0 : value_of(series.front());
            require(value == number_of(*property.find("n")),
                    "gym.sandbox.active is " + std::to_string(value));
        } else if (name == "orphan_reported") {
            const std::string provider = c.calls.empty() ? "" : c.calls.front().text("provider");
            require(std::ranges::any_of(messages,
                                        [&](const std::string& message) {
                                            return message.find(provider) != message.npos;
                                        }),
                    "no diagnostic names the provider");
        } else {
            throw failure("property not checked: " + name);
        }
    }
}

}  // namespace

void play_sandbox_wrapper(const case_file& c) {
    diagnostics_log log;
    case_telemetry telemetry(c);
    sandbox_play played;
    for (const call& f : c.calls)
        for (std::int64_t i = 0; i < f.repeat; ++i) {
            if (f.fn == "sandbox_event")
                played.play(f.text("event"), f.text("provider"));
            else if (f.fn == "set_span_group")
                telemetry.set_group(f.text("group"), f.flag("on"));
            else
                throw failure("call not played: " + f.fn);
        }
    const std::vector<std::string> messages = log.messages();
    telemetry.collect_all();
    check_points(c, telemetry);
    check_diagnostics(c, messages);
    check_properties(c, telemetry.seen(), messages);
    if (const json_value* reaches = c.expects("error_reaches_caller"))
        require(played.error_reached() == reaches->flag, played.error_reached()
                                                             ? "an error reached the caller"
                                                             : "no error reached the caller");
}

}  // namespace gym::telemetry::cases
