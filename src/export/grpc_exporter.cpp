// SPDX-License-Identifier: Apache-2.0
#include "export/grpc_exporter.hpp"

#include "base/diagnostics.hpp"
#include "base/url.hpp"
#include "export/answer.hpp"
#include "export/grpc_target.hpp"
#include "export/retry.hpp"
#include "otlp/response.hpp"

#include <algorithm>
#include <atomic>
#include <random>

namespace gym::telemetry::detail {

namespace {

using std::chrono::milliseconds;
using time_point = steady_clock::time_point;

// While shutting down, so many refusals in a row are enough.
constexpr int refusals_max = 2;

// grpc::StatusCode.
constexpr std::array<std::string_view, 17> code_names = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};
constexpr int resource_exhausted = 8, unavailable = 14;

// Source: the OTLP specification, "OTLP/gRPC failures".
bool is_retried_code(int code, bool has_delay) noexcept {
    constexpr std::array always = {1, 4, 10, 11, unavailable, 15};
    return std::ranges::find(always, code) != always.end() ||
           (code == resource_exhausted && has_delay);
}

std::string text_of(const grpc_result& result) {
    const bool known = result.code >= 0 && result.code < static_cast<int>(code_names.size());
    std::string text(known ? code_names[static_cast<std::size_t>(result.code)] : "UNKNOWN");
    if (!result.message.empty()) text += ": " + otlp::presentable(result.message);
    return text;
}

// One request on its way, with its tries and pauses.
class grpc_delivery {
public:
    grpc_delivery(shipment& what, const std::string& shown_url, milliseconds timeout,
                  std::uint32_t seed)
        : what_(what),
          shown_url_(shown_url),
          pauses_(seed),
          begun_(steady_clock::now()),
          own_deadline_(begun_ + timeout),
          due_(begun_) {}

    bool is_done() const noexcept { return state_ == state::done; }
    bool is_running(signal_kind signal) const noexcept {
        return state_ == state::running && what_.signal == signal;
    }
    // When something has to be done about it, if nothing arrives before.
    time_point next_event() const noexcept {
        return state_ == state::running ? own_deadline_ : std::min(due_, own_deadline_);
    }

    void start_if_due(grpc_transport& by, const export_limits& limits, time_point now);
    void on_end(const grpc_result& result, const export_limits& limits);
    void check_time(grpc_transport& by, const export_limits& limits, time_point now);

private:
    enum class state : std::uint8_t { pausing, running, done };

    time_point deadline(const export_limits& limits) const noexcept {
        return std::min(limits.deadline(), own_deadline_);
    }
    void plan_retry(std::optional<milliseconds> wished, const export_limits& limits);
    void reject();
    void fail(std::string_view why);
    void finish(outcome result);

    shipment& what_;
    const std::string& shown_url_;
    backoff pauses_;
    time_point begun_;
    time_point own_deadline_;
    time_point due_;
    state state_ = state::pausing;
    bool tried_ = false;
    bool asked_to_wait_ = false;  // the pause is the receiver's wish, not ours
    int refusals_ = 0;
    std::string reason_ = "no time was left to send";
};

void grpc_delivery::start_if_due(grpc_transport& by, const export_limits& limits, time_point now) {
    if (state_ != state::pausing) return;
    // Who shuts down has no time for a pause of our own making.
    const bool cut_short =
        limits.closing.load(std::memory_order_relaxed) && !asked_to_wait_ && refusals_ == 0;
    if (due_ > now && !cut_short) return;
    if (deadline(limits) <= now) return;
    by.start(what_.signal, what_.body, deadline(limits));
    tried_ = true;
    state_ = state::running;
}

void grpc_delivery::on_end(const grpc_result& result, const export_limits& limits) {
    if (result.code == 0) return finish(read_success(what_, result.body, shown_url_));
    reason_ = text_of(result);
    const std::optional<milliseconds> wished = otlp::read_retry_delay(result.details);
    if (!is_retried_code(result.code, wished.has_value())) return reject();
    refusals_ = result.code == unavailable && !wished ? refusals_ + 1 : 0;
    if (limits.closing.load(std::memory_order_relaxed) && refusals_ >= refusals_max)
        return fail(reason_);
    plan_retry(wished, limits);
}

void grpc_delivery::plan_retry(std::optional<milliseconds> wished, const export_limits& limits) {
    const time_point now = steady_clock::now();
    asked_to_wait_ = wished.has_value();
    // The sum could overflow: a wish beyond the deadline is one, however far.
    if (asked_to_wait_ && *wished > deadline(limits) - now)
        return fail(reason_ + " and asks to wait longer than the export may take");
    due_ = now + (asked_to_wait_ ? *wished : pauses_.next());
    state_ = state::pausing;
}

void grpc_delivery::check_time(grpc_transport& by, const export_limits& limits, time_point now) {
    if (is_done()) return;
    if (now >= deadline(limits)) {
        if (state_ == state::running) {
            by.cancel(what_.signal);
            reason_ = "no answer in time";
        }
        return fail(reason_);
    }
    if (state_ != state::pausing) return;
    // Gives way to the export that somebody waits for, which sends newer numbers. Not a failure
    // to complain about.
    const bool hurried = limits.hurried.load(std::memory_order_relaxed);
    const bool closing = limits.closing.load(std::memory_order_relaxed);
    if (hurried && !closing && !asked_to_wait_ && tried_) return finish(outcome::failed);
    if (asked_to_wait_ && due_ >= deadline(limits))
        fail(reason_ + " and asks to wait longer than the export may take");
}

void grpc_delivery::reject() {
    diagnose(
        "export.failed",
        complaint_about(what_.signal, shown_url_,
                        "the receiver answered " + reason_ + "; these points are not sent again"),
        std::string(name_of(what_.signal)) + reason_.substr(0, reason_.find(':')));
    finish(outcome::rejected);
}

void grpc_delivery::fail(std::string_view why) {
    diagnose("export.failed", complaint_about(what_.signal, shown_url_, why),
             std::string(name_of(what_.signal)) + "connection");
    finish(outcome::failed);
}

void grpc_delivery::finish(outcome result) {
    state_ = state::done;
    what_.result = result;
    what_.duration_ms =
        std::chrono::duration<double, std::milli>(steady_clock::now() - begun_).count();
}

class grpc_exporter final : public exporter {
public:
    grpc_exporter(std::unique_ptr<grpc_transport> by, const grpc_targets& targets,
                  const settings& config)
        : by_(std::move(by)),
          sends_{!targets[0].address.empty(), !targets[1].address.empty()},
          shown_urls_{shown(config.otlp_metrics), shown(config.otlp_traces)},
          timeouts_{milliseconds(config.otlp_metrics.timeout_ms),
                    milliseconds(config.otlp_traces.timeout_ms)},
          seeds_(std::random_device{}()) {}

    std::string_view name() const noexcept override { return "otlp"; }
    void send(std::span<shipment> what, const export_limits& limits) override;
    void wake() noexcept override { by_->wake(); }
    // gRPC's threads do not exist there, and its locks may be held: never freed.
    void abandon_in_child() noexcept override { [[maybe_unused]] auto* left = by_.release(); }

private:
    static std::string shown(const otlp_signal& signal) {
        const std::string& url = signal.endpoint;
        return without_credentials(url.substr(0, url.find_first_of("?#")));
    }
    void run(std::vector<grpc_delivery>& all, const export_limits& limits);

    std::unique_ptr<grpc_transport> by_;
    std::array<bool, 2> sends_;
    std::array<std::string, 2> shown_urls_;
    std::array<milliseconds, 2> timeouts_;
    std::minstd_rand seeds_;
};

// Signals at the same time; requests of one signal one after the other.
void grpc_exporter::send(std::span<shipment> what, const export_limits& limits) {
    std::array<std::vector<shipment*>, 2> by_signal;
    for (shipment& s : what) {
        const auto signal = static_cast<std::size_t>(s.signal);
        if (sends_[signal])
            by_signal[signal].push_back(&s);
        else
            s.result = outcome::ok;  // this signal goes nowhere, by configuration
    }
    const std::size_t rounds = std::max(by_signal[0].size(), by_signal[1].size());
    for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<grpc_delivery> all;
        for (std::size_t signal = 0; signal < by_signal.size(); ++signal)
            if (round < by_signal[signal].size())
                all.emplace_back(*by_signal[signal][round], shown_urls_[signal], timeouts_[signal],
                                 static_cast<std::uint32_t>(seeds_()));
        run(all, limits);
    }
}

void grpc_exporter::run(std::vector<grpc_delivery>& all, const export_limits& limits) {
    while (true) {
        for (grpc_delivery& d : all) d.start_if_due(*by_, limits, steady_clock::now());
        for (grpc_delivery& d : all) d.check_time(*by_, limits, steady_clock::now());
        if (std::ranges::all_of(all, &grpc_delivery::is_done)) return;
        time_point next = limits.deadline();
        for (const grpc_delivery& d : all)
            if (!d.is_done()) next = std::min(next, d.next_event());
        if (const auto ended = by_->wait(next))
            for (grpc_delivery& d : all)
                if (d.is_running(ended->first)) d.on_end(ended->second, limits);
    }
}

constinit std::atomic<grpc_factory> factory_in_use{nullptr};

}  // namespace

void set_grpc_factory(grpc_factory make) noexcept {
    factory_in_use.store(make, std::memory_order_release);
}
grpc_factory get_grpc_factory() noexcept {
    return factory_in_use.load(std::memory_order_acquire);
}

std::unique_ptr<exporter> make_grpc_exporter(const settings& config) {
    const grpc_factory make = get_grpc_factory();
    if (make == nullptr) return nullptr;
    const grpc_targets targets = grpc_targets_of(config);
    if (targets[0].address.empty() && targets[1].address.empty()) return nullptr;
    std::unique_ptr<grpc_transport> by = make(targets);
    if (by == nullptr) return nullptr;
    return std::make_unique<grpc_exporter>(std::move(by), targets, config);
}

}  // namespace gym::telemetry::detail
