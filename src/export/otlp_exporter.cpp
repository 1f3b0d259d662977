// SPDX-License-Identifier: Apache-2.0
#include "export/otlp_exporter.hpp"

#include "base/clock.hpp"
#include "base/diagnostics.hpp"
#include "export/answer.hpp"
#include "export/request_headers.hpp"
#include "export/retry.hpp"
#include "otlp/response.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <vector>

namespace gym::telemetry::detail {

namespace {

using std::chrono::milliseconds;
using time_point = steady_clock::time_point;

// After the head of an answer its body gets so long.
constexpr milliseconds body_patience{2000};
// While shutting down, so many refusals in a row are enough.
constexpr int refusals_max = 2;

// Nobody there at all, as opposed to a connection that broke.
bool is_refusal(CURLcode code) noexcept {
    return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
           code == CURLE_COULDNT_RESOLVE_PROXY;
}

// What the set-up is to blame for: another try at once would end the same way.
bool is_setup_fault(CURLcode code) noexcept {
    constexpr std::array codes = {CURLE_URL_MALFORMAT,   CURLE_PEER_FAILED_VERIFICATION,
                                  CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE,
                                  CURLE_SSL_CIPHER,      CURLE_SSL_ISSUER_ERROR,
                                  CURLE_OUT_OF_MEMORY,   CURLE_SSL_ENGINE_NOTFOUND};
    return std::ranges::find(codes, code) != codes.end();
}

// One request on its way, with its tries and pauses.
class delivery {
public:
    delivery(shipment& what, http_transfer& by, milliseconds timeout, std::uint32_t seed)
        : what_(what),
          by_(by),
          pauses_(seed),
          begun_(steady_clock::now()),
          own_deadline_(begun_ + timeout),
          due_(begun_) {
        by_.set_body(what.body);
    }

    bool is_done() const noexcept { return state_ == state::done; }
    bool is_running() const noexcept { return state_ == state::running; }
    bool is_of(CURL* handle) const noexcept { return by_.handle() == handle; }

    // When something has to be done about it, if nothing arrives before.
    time_point next_event() const noexcept {
        if (!is_running()) return std::min(due_, own_deadline_);
        return by_.status() != 0 ? std::min(by_.answered_at() + body_patience, own_deadline_)
                                 : own_deadline_;
    }

    void start_if_due(CURLM* multi, const export_limits& limits, time_point now);
    void on_transfer_end(CURLM* multi, CURLcode code, const export_limits& limits);
    // Looks at the limits; called after everything else of a round.
    void check_time(CURLM* multi, const export_limits& limits, time_point now);

private:
    enum class state : std::uint8_t { pausing, running, done };

    time_point deadline(const export_limits& limits) const noexcept {
        return std::min(limits.deadline(), own_deadline_);
    }
    void judge(const export_limits& limits);
    void answered();
    void rejected();
    void plan_retry(const export_limits& limits);
    void finish(outcome result);
    void fail(std::string_view why);
    std::string complaint(std::string_view what) const;
    std::string reason() const;

    shipment& what_;
    http_transfer& by_;
    backoff pauses_;
    time_point begun_;
    time_point own_deadline_;
    time_point due_;
    state state_ = state::pausing;
    bool asked_to_wait_ = false;  // the pause is the server's wish, not ours
    int refusals_ = 0;
    CURLcode last_code_ = CURLE_OK;
    long last_status_ = 0;
};

void delivery::start_if_due(CURLM* multi, const export_limits& limits, time_point now) {
    if (state_ != state::pausing) return;
    // Who shuts down has no time for a pause of our own making.
    const bool cut_short =
        limits.closing.load(std::memory_order_relaxed) && !asked_to_wait_ && refusals_ == 0;
    if (due_ > now && !cut_short) return;
    const auto left = std::chrono::ceil<milliseconds>(deadline(limits) - now);
    if (left <= milliseconds(0)) return;
    if (!by_.start(multi, left)) return fail("libcurl refuses the request");
    state_ = state::running;
}

void delivery::on_transfer_end(CURLM* multi, CURLcode code, const export_limits& limits) {
    by_.stop(multi);
    last_code_ = code;
    last_status_ = by_.status();
    judge(limits);
}

void delivery::judge(const export_limits& limits) {
    if (last_status_ >= 200 && last_status_ < 300) return answered();
    if (last_status_ != 0 && !is_retried_status(last_status_)) return rejected();
    if (last_status_ == 0 && is_setup_fault(last_code_)) return fail(reason());
    refusals_ = last_status_ == 0 && is_refusal(last_code_) ? refusals_ + 1 : 0;
    if (limits.closing.load(std::memory_order_relaxed) && refusals_ >= refusals_max)
        return fail(reason());
    plan_retry(limits);
}

void delivery::answered() {
    finish(read_success(what_, by_.answer(), by_.shown_url()));
}

void delivery::rejected() {
    std::string why = "the receiver answered " + std::to_string(last_status_);
    if (const std::string message = otlp::read_error_message(by_.answer()); !message.empty())
        why += ": " + message;
    diagnose("export.failed", complaint(why + "; these points are not sent again"),
             std::string(name_of(what_.signal)) + std::to_string(last_status_));
    finish(outcome::rejected);
}

void delivery::plan_retry(const export_limits& limits) {
    const time_point now = steady_clock::now();
    // The system's clock as it stands: it is what the receiver's date is meant for.
    const auto wished = parse_retry_after(by_.retry_after(), system_wall_ns() / 1'000'000'000);
    asked_to_wait_ = last_status_ != 0 && wished.has_value();
    // The sum could overflow: a wish beyond the deadline is one, however far.
    if (asked_to_wait_ && *wished > deadline(limits) - now)
        return fail(reason() + " and asks to wait longer than the export may take");
    due_ = asked_to_wait_ ? now + *wished : now + pauses_.next();
    state_ = state::pausing;
}

void delivery::check_time(CURLM* multi, const export_limits& limits, time_point now) {
    if (is_running() && by_.status() != 0 &&
        now >= std::min(by_.answered_at() + body_patience, deadline(limits)))
        return on_transfer_end(multi, CURLE_OPERATION_TIMEDOUT, limits);
    if (is_done()) return;
    if (now >= deadline(limits)) {
        if (is_running()) {
            by_.stop(multi);
            last_code_ = CURLE_OPERATION_TIMEDOUT;
            last_status_ = 0;
        }
        return fail(reason());
    }
    const bool hurried = limits.hurried.load(std::memory_order_relaxed);
    const bool closing = limits.closing.load(std::memory_order_relaxed);
    // Gives way to the export that somebody waits for, which sends newer numbers. Not a failure
    // to complain about.
    if (state_ == state::pausing && hurried && !closing && !asked_to_wait_ &&
        last_code_ != CURLE_OK)
        return finish(outcome::failed);
    if (state_ == state::pausing && due_ >= deadline(limits) && asked_to_wait_)
        fail(reason() + " and asks to wait longer than the export may take");
}

void delivery::finish(outcome result) {
    state_ = state::done;
    what_.result = result;
    what_.duration_ms =
        std::chrono::duration<double, std::milli>(steady_clock::now() - begun_).count();
}

void delivery::fail(std::string_view why) {
    diagnose("export.failed", complaint(why),
             std::string(name_of(what_.signal)) + (last_status_ != 0 ? "status" : "connection"));
    finish(outcome::failed);
}

std::string delivery::complaint(std::string_view what) const {
    return complaint_about(what_.signal, by_.shown_url(), what);
}

std::string delivery::reason() const {
    if (last_status_ != 0) return "the receiver answered " + std::to_string(last_status_);
    if (last_code_ == CURLE_OK) return "no time was left to send";
    return curl_easy_strerror(last_code_);
}

struct multi_deleter {
    void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
};

class otlp_exporter final : public exporter {
public:
    otlp_exporter(std::unique_ptr<socket_list> sockets, std::unique_ptr<http_transfer> metrics,
                  std::unique_ptr<http_transfer> traces, const otlp_targets& targets)
        : sockets_(std::move(sockets)),
          multi_(curl_multi_init()),
          by_signal_{std::move(metrics), std::move(traces)},
          timeouts_{targets.metrics.timeout, targets.traces.timeout},
          seeds_(std::random_device{}()) {
        if (multi_ == nullptr) throw std::bad_alloc();
    }
    ~otlp_exporter() override {
        // The handles' connections live in the multi handle, which uses the sockets' list.
        multi_.reset();
    }

    std::string_view name() const noexcept override { return "otlp"; }
    void send(std::span<shipment> what, const export_limits& limits) override;
    void wake() noexcept override { curl_multi_wakeup(multi_.get()); }
    void abandon_in_child() noexcept override { sockets_->close_all(); }

private:
    void send_one_a_signal(std::span<shipment*> what, const export_limits& limits);
    void run(std::vector<delivery>& all, const export_limits& limits);
    void take_ended(std::vector<delivery>& all, const export_limits& limits);

    std::unique_ptr<socket_list> sockets_;
    std::unique_ptr<CURLM, multi_deleter> multi_;
    std::array<std::unique_ptr<http_transfer>, 2> by_signal_;
    std::array<milliseconds, 2> timeouts_;
    std::minstd_rand seeds_;
};

// Signals at the same time, so that one that stalls takes no time from the other; requests of one
// signal one after the other.
void otlp_exporter::send(std::span<shipment> what, const export_limits& limits) {
    std::vector<shipment*> left;
    for (shipment& s : what) {
        if (by_signal_[static_cast<std::size_t>(s.signal)] != nullptr)
            left.push_back(&s);
        else
            s.result = outcome::ok;  // this signal goes nowhere, by configuration
    }
    while (!left.empty()) {
        std::vector<shipment*> now;
        std::vector<shipment*> later;
        for (shipment* s : left) {
            const bool busy =
                std::ranges::any_of(now, [s](shipment* n) { return n->signal == s->signal; });
            (busy ? later : now).push_back(s);
        }
        send_one_a_signal(now, limits);
        left = std::move(later);
    }
}

void otlp_exporter::send_one_a_signal(std::span<shipment*> what, const export_limits& limits) {
    std::vector<delivery> all;
    all.reserve(what.size());
    for (shipment* s : what) {
        const auto signal = static_cast<std::size_t>(s->signal);
        all.emplace_back(*s, *by_signal_[signal], timeouts_[signal],
                         static_cast<std::uint32_t>(seeds_()));
    }
    run(all, limits);
}

void otlp_exporter::run(std::vector<delivery>& all, const export_limits& limits) {
    while (true) {
        for (delivery& d : all) d.start_if_due(multi_.get(), limits, steady_clock::now());
        int running = 0;
        curl_multi_perform(multi_.get(), &running);
        take_ended(all, limits);
        const time_point now = steady_clock::now();
        for (delivery& d : all) d.check_time(multi_.get(), limits, now);
        if (std::ranges::all_of(all, &delivery::is_done)) return;

        time_point next = limits.deadline();
        for (const delivery& d : all)
            if (!d.is_done()) next = std::min(next, d.next_event());
        const auto wait = std::chrono::ceil<milliseconds>(next - now);
        constexpr milliseconds longest{60000};
        if (wait > milliseconds(0))
            curl_multi_poll(multi_.get(), nullptr, 0,
                            static_cast<int>(std::min(wait, longest).count()), nullptr);
    }
}

void otlp_exporter::take_ended(std::vector<delivery>& all, const export_limits& limits) {
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        // Copied: the message is gone once the handle is taken out.
        CURL* const handle = message->easy_handle;
        const CURLcode code = message->data.result;
        for (delivery& d : all)
            if (d.is_of(handle)) d.on_transfer_end(multi_.get(), code, limits);
    }
}

std::unique_ptr<http_transfer> make_transfer(const http_target& target, signal_kind signal,
                                             socket_list& sockets) {
    if (target.url.empty()) return nullptr;
    auto made = http_transfer::make(target, sockets);
    if (made) return *std::move(made);
    diagnose("export.endpoint",
             "otlp: " + std::string(name_of(signal)) + " cannot be sent: " + made.failure().text,
             name_of(signal));
    return nullptr;
}

}  // namespace

std::string_view name_of(outcome result) noexcept {
    constexpr std::array<std::string_view, 4> names = {"ok", "partial", "rejected", "failed"};
    return names[static_cast<std::size_t>(result)];
}

http_target http_target_of(const otlp_signal& signal) {
    return {.url = signal.endpoint,
            .headers = parse_request_headers(signal.headers),
            .certificate = signal.certificate,
            .client_certificate = signal.client_certificate,
            .client_key = signal.client_key,
            .compress = signal.compression == "gzip",
            .timeout = milliseconds(signal.timeout_ms)};
}

otlp_targets otlp_targets_of(const settings& config) {
    const auto target = [](bool on, const otlp_signal& signal) {
        return on && signal.protocol == "http/protobuf" ? http_target_of(signal) : http_target{};
    };
    return {.metrics = target(config.metrics_enabled, config.otlp_metrics),
            .traces = target(config.traces_enabled, config.otlp_traces)};
}

std::unique_ptr<exporter> make_otlp_exporter(const otlp_targets& targets) {
    auto sockets = std::make_unique<socket_list>();
    auto metrics = make_transfer(targets.metrics, signal_kind::metrics, *sockets);
    auto traces = make_transfer(targets.traces, signal_kind::traces, *sockets);
    if (metrics == nullptr && traces == nullptr) return nullptr;
    return std::make_unique<otlp_exporter>(std::move(sockets), std::move(metrics),
                                           std::move(traces), targets);
}

}  // namespace gym::telemetry::detail
