// SPDX-License-Identifier: Apache-2.0
#include "export/pipeline.hpp"

#include "base/clock.hpp"
#include "base/diagnostics.hpp"
#include "export/export_stream.hpp"
#include "export/exporters.hpp"
#include "export/http_transfer.hpp"
#include "export/spans_request.hpp"
#include "export/spool.hpp"
#include "trace/span_queue.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

namespace gym::telemetry::detail {

namespace {

using std::chrono::milliseconds;
using time_point = steady_clock::time_point;

constexpr std::size_t spans_per_request = 512;
// A collection may hang in somebody's callback: after its deadline the thread gets so long to come
// back before it is left to itself.
constexpr milliseconds grace{250};

std::string instance_of(const std::vector<std::pair<std::string, std::string>>& resource) {
    for (const auto& [key, value] : resource)
        if (key == "service.instance.id") return value;
    return std::to_string(::getpid());
}

engine::temporalities temporalities_of(std::string_view preference) noexcept {
    constexpr temporality delta = temporality::delta;
    if (preference == "delta")
        return {.counter = delta, .observable_counter = delta, .histogram = delta};
    if (preference == "lowmemory") return {.counter = delta, .histogram = delta};
    return {};
}

// The application's handlers must not run on a thread that it does not know of, and a broken pipe
// is an error code here.
class signals_blocked {
public:
    signals_blocked() noexcept {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    signals_blocked(const signals_blocked&) = delete;
    signals_blocked& operator=(const signals_blocked&) = delete;

private:
    sigset_t before_;
};

}  // namespace

void prepare_transports() noexcept {
    prepare_http();
}

// Shared with the thread, which may outlive the pipeline when a callback hangs.
class pipeline::core {
public:
    explicit core(pipeline_options options);

    bool has_exporters() const noexcept { return !streams_.empty(); }
    static void start_thread(const std::shared_ptr<core>& self);
    bool flush(time_point deadline);
    // `last_export` false: ends without one.
    bool shutdown(time_point deadline, bool last_export);
    void close_connections_in_child() noexcept;

private:
    // What the thread is to do next.
    struct task {
        bool stop = false;
        bool awaited = false;     // by a flush
        std::uint64_t flush = 0;  // the requests that it serves, up to this one
    };

    void run() noexcept;
    task next_task(time_point due);
    bool cycle(bool last) noexcept;
    bool run_streams(bool last);
    bool send_guest(bool last);
    void set_limits();
    void send_spooled();
    void send_spooled_first() noexcept;
    void spool_unsent();
    export_stream* otlp_stream() noexcept;
    void share_spans();
    void report(std::string_view exporter, const shipment& sent) const;
    void wake_exporters() noexcept;

    pipeline_options options_;
    request_envelope envelope_;
    milliseconds timeout_;  // of the slower signal; each keeps its own besides
    std::vector<export_stream> streams_;
    std::optional<spool> spool_;
    bool spool_waits_ = true;  // until it was found empty
    export_limits limits_;
    std::thread thread_;

    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    bool busy_ = false;     // exporting
    bool awaited_ = false;  // for a flush
    bool stopping_ = false;
    bool last_export_ = true;
    bool joined_ = false;
    bool finished_ = false;
    bool last_result_ = true;
    std::uint64_t flush_wanted_ = 0;
    std::uint64_t flush_done_ = 0;
    bool flush_result_ = true;
    time_point flush_deadline_{};
    time_point stop_deadline_{};
};

pipeline::core::core(pipeline_options options)
    : options_(std::move(options)),
      envelope_(make_envelope(options_.resource)),
      timeout_(std::max(options_.config.otlp_metrics.timeout_ms,
                        options_.config.otlp_traces.timeout_ms)) {
    const engine::temporalities time = temporalities_of(options_.config.temporality_preference);
    for (auto& to : make_exporters(options_.config))
        streams_.emplace_back(
            export_stream::options{.to = std::move(to),
                                   .source = options_.metrics ? options_.source : nullptr,
                                   .time = time,
                                   .envelope = envelope_});
    if (!options_.config.spool.empty() && otlp_stream() != nullptr)
        spool_.emplace(options_.config.spool, instance_of(options_.resource));
}

void pipeline::core::start_thread(const std::shared_ptr<core>& self) {
    const signals_blocked blocked;
    self->thread_ = std::thread([self] { self->run(); });
    pthread_setname_np(self->thread_.native_handle(), "gym-telemetry");
}

void pipeline::core::run() noexcept {
    const auto interval =
        milliseconds(std::max<std::int64_t>(options_.config.export_interval_ms, 1));
    time_point due = steady_clock::now() + interval;
    if (spool_) send_spooled_first();
    while (true) {
        const task now = next_task(due);
        const bool last_wanted = [this] {
            const std::lock_guard lock(mutex_);
            return last_export_;
        }();
        const bool good = now.stop && !last_wanted ? true : cycle(now.stop);
        const std::lock_guard lock(mutex_);
        busy_ = false;
        flush_done_ = now.flush;
        flush_result_ = good;
        finished_ = now.stop;
        if (now.stop) last_result_ = good;
        changed_.notify_all();
        if (now.stop) return;
        // From the end of an export that took too long, so that there is never a burst of them.
        due = std::max(due + interval, steady_clock::now());
        if (now.awaited) due = steady_clock::now() + interval;
    }
}

// Waits until the interval is over or somebody wants something.
pipeline::core::task pipeline::core::next_task(time_point due) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, due, [this] { return stopping_ || flush_wanted_ != flush_done_; });
    busy_ = true;
    awaited_ = flush_wanted_ != flush_done_;
    return {.stop = stopping_, .awaited = awaited_, .flush = flush_wanted_};
}

// Of the export that begins now.
void pipeline::core::set_limits() {
    const std::lock_guard lock(mutex_);
    time_point deadline = steady_clock::now() + timeout_;
    if (awaited_) deadline = std::min(deadline, flush_deadline_);
    if (stopping_) deadline = std::min(deadline, stop_deadline_);
    limits_.set_deadline(deadline);
    // Who came since the task was taken waits for the next one, and wants this one to end.
    limits_.hurried.store(stopping_ || (busy_ && !awaited_ && flush_wanted_ != flush_done_),
                          std::memory_order_relaxed);
}

bool pipeline::core::cycle(bool last) noexcept {
    try {
        set_limits();
        bool good = run_streams(last);
        good &= send_guest(last);
        if (last)
            spool_unsent();
        else if (good && spool_ && spool_waits_)
            send_spooled();
        return good;
    } catch (const std::exception& problem) {  // no memory: the next cycle begins anew
        diagnose("export.failed", std::string("an export was given up: ") + problem.what());
        return false;
    }
}

bool pipeline::core::run_streams(bool last) {
    share_spans();
    bool good = true;
    for (export_stream& stream : streams_)
        good &= stream.run(limits_, last, [this](std::string_view exporter, const shipment& s) {
            report(exporter, s);
        });
    return good;
}

bool pipeline::core::send_guest(bool last) {
    if (options_.guest == nullptr) return true;
    const std::string_view body = options_.guest->begin(last);
    if (body.empty()) return true;
    bool good = true;
    bool answered = true;
    for (export_stream& stream : streams_) {
        shipment metrics{.signal = signal_kind::metrics, .body = body};
        stream.to().send({&metrics, 1}, limits_);
        report(stream.to().name(), metrics);
        good &= metrics.result == outcome::ok || metrics.result == outcome::partial;
        answered &= is_answered(metrics.result);
    }
    options_.guest->end(answered);
    return good;
}

export_stream* pipeline::core::otlp_stream() noexcept {
    for (export_stream& stream : streams_)
        if (stream.to().name() == "otlp") return &stream;
    return nullptr;
}

// What earlier processes left. On failure it waits for the next export that succeeds.
void pipeline::core::send_spooled() {
    spool_waits_ = !spool_->send(
        otlp_stream()->to(), limits_,
        [this](std::string_view exporter, const shipment& s) { report(exporter, s); });
    if (options_.self.spooled != nullptr)
        options_.self.spooled(static_cast<double>(spool_->waiting_bytes()));
}

// Before anything else, so that also a process that ends soon does it.
void pipeline::core::send_spooled_first() noexcept {
    {
        const std::lock_guard lock(mutex_);
        busy_ = true;  // a flush makes it give way
    }
    try {
        set_limits();
        send_spooled();
    } catch (const std::exception& problem) {
        diagnose("export.spool", std::string("the spool was not sent: ") + problem.what());
    }
    const std::lock_guard lock(mutex_);
    busy_ = false;
}

void pipeline::core::spool_unsent() {
    if (!spool_) return;
    for (const auto& [signal, body] : otlp_stream()->take_unsent()) spool_->keep(signal, body);
}

void pipeline::core::share_spans() {
    if (!options_.traces) return;
    for (auto spans = take_spans(spans_per_request); !spans.empty();
         spans = take_spans(spans_per_request)) {
        auto request = std::make_shared<const std::string>(write_spans_request(envelope_, spans));
        for (export_stream& stream : streams_) stream.add_spans(request);
    }
}

void pipeline::core::report(std::string_view exporter, const shipment& sent) const {
    if (options_.self.exported == nullptr) return;
    options_.self.exported(exporter, name_of(sent.result), sent.duration_ms, sent.rejected,
                           static_cast<double>(wall_now_ns()) / 1e9);
}

void pipeline::core::wake_exporters() noexcept {
    for (export_stream& stream : streams_) stream.to().wake();
}

bool pipeline::core::flush(time_point deadline) {
    std::unique_lock lock(mutex_);
    if (stopping_) return false;
    const bool others = flush_wanted_ != flush_done_;
    const std::uint64_t mine = ++flush_wanted_;
    flush_deadline_ = others ? std::max(flush_deadline_, deadline) : deadline;
    // An export that somebody waits for already gives way to nobody.
    if (busy_ && !awaited_) limits_.hurried.store(true, std::memory_order_relaxed);
    changed_.notify_all();
    wake_exporters();
    const bool done =
        changed_.wait_until(lock, deadline, [&] { return flush_done_ >= mine || finished_; });
    return done && flush_done_ >= mine && flush_result_;
}

bool pipeline::core::shutdown(time_point deadline, bool last_export) {
    std::unique_lock lock(mutex_);
    if (!stopping_) {
        stopping_ = true;
        last_export_ = last_export;
        stop_deadline_ = deadline;
        limits_.closing.store(true, std::memory_order_relaxed);
        limits_.hurried.store(true, std::memory_order_relaxed);
        limits_.tighten(deadline);
        changed_.notify_all();
        wake_exporters();
    }
    const bool back = changed_.wait_until(lock, deadline + grace, [this] { return finished_; });
    if (!joined_) {
        joined_ = true;
        lock.unlock();
        if (back)
            thread_.join();
        else
            thread_.detach();
        lock.lock();
    }
    return back && last_result_;
}

void pipeline::core::close_connections_in_child() noexcept {
    for (export_stream& stream : streams_) stream.to().abandon_in_child();
}

std::unique_ptr<pipeline> pipeline::start(pipeline_options options) noexcept {
    try {
        auto made = std::make_shared<core>(std::move(options));
        if (!made->has_exporters()) {
            diagnose("export.none", "no exporter can be built; nothing is exported");
            return nullptr;
        }
        std::unique_ptr<pipeline> result(new pipeline(nullptr));
        core::start_thread(made);
        result->core_ = std::move(made);  // only now: its destructor waits for the thread
        return result;
    } catch (const std::exception& problem) {
        diagnose("export.none",
                 std::string("the export thread cannot be started: ") + problem.what());
        return nullptr;
    }
}

bool pipeline::flush(time_point deadline) noexcept {
    return core_ != nullptr && core_->flush(deadline);
}

bool pipeline::shutdown(time_point deadline) noexcept {
    return core_ == nullptr || core_->shutdown(deadline, true);
}

pipeline::~pipeline() {
    if (core_ != nullptr) core_->shutdown(steady_clock::now(), false);
}

void pipeline::abandon_in_child() noexcept {
    if (core_ == nullptr) return;
    core_->close_connections_in_child();
    // Never freed: its locks may be held by threads that do not exist here.
    static_cast<void>(new std::shared_ptr<core>(std::move(core_)));
}

}  // namespace gym::telemetry::detail
