// SPDX-License-Identifier: Apache-2.0
//
// The calls of the driver `inproc` that record from several threads.
#include "inproc_play.hpp"
#include "recorder_calls.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <gym/telemetry/recorders.hpp>

#include <atomic>
#include <deque>
#include <functional>
#include <latch>
#include <thread>

namespace gym::telemetry::cases {

namespace {

// So many threads that begin together; joined at the end.
void run_together(std::int64_t threads, const std::function<void(std::int64_t)>& body) {
    std::latch start(threads);
    std::vector<std::thread> all;
    for (std::int64_t i = 0; i < threads; ++i)
        all.emplace_back([&, i] {
            start.arrive_and_wait();
            body(i);
        });
    for (std::thread& thread : all) thread.join();
}

void retry_n(std::int64_t n, std::string_view provider) {
    for (std::int64_t i = 0; i < n; ++i) record_sandbox_create_retry(provider);
}

// Collects all the time while it lives, when it is asked to.
class concurrent_collector {
public:
    concurrent_collector(case_telemetry& telemetry, bool wanted) {
        if (wanted)
            thread_ = std::thread([this, &telemetry] {
                while (!stop_) telemetry.collect();
            });
    }
    ~concurrent_collector() {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
    }
    concurrent_collector(const concurrent_collector&) = delete;
    concurrent_collector& operator=(const concurrent_collector&) = delete;

private:
    std::atomic<bool> stop_ = false;
    std::thread thread_;
};

// Calls of one thread, which others look at while it goes on.
struct alignas(64) call_count {
    std::atomic<std::int64_t> begun = 0;
    std::atomic<std::int64_t> ended = 0;
    std::atomic<std::int64_t> after_last_init = 0;
};

double sum_of(std::vector<call_count>& counts, std::atomic<std::int64_t> call_count::* which) {
    std::int64_t sum = 0;
    for (call_count& count : counts) sum += (count.*which).load();
    return static_cast<double>(sum);
}

}  // namespace

bool inproc_play::play_threads(const call& f) {
    if (f.fn == "record_from_threads")
        from_threads(f);
    else if (f.fn == "record_from_short_threads")
        from_short_threads(f);
    else if (f.fn == "updown_pairs_from_threads")
        updown_pairs(f);
    else if (f.fn == "record_histogram_from_threads")
        histogram_from_threads(f);
    else if (f.fn == "record_from_threads_with_reinit")
        with_reinit(f);
    else
        return false;
    return true;
}

void inproc_play::from_threads(const call& f) {
    const std::string provider = f.text("provider");
    const std::int64_t each = f.integer("per_thread");
    run_together(f.integer("threads"), [&](std::int64_t) { retry_n(each, provider); });
}

void inproc_play::from_short_threads(const call& f) {
    const concurrent_collector collector(telemetry, f.flag("collect_concurrently"));
    const std::string provider = f.text("provider");
    const std::int64_t each = f.integer("per_thread");
    const auto concurrent = static_cast<std::size_t>(f.integer("concurrent"));
    std::deque<std::thread> alive;
    for (std::int64_t i = f.integer("threads"); i > 0; --i) {
        if (alive.size() == concurrent) {
            alive.front().join();
            alive.pop_front();
        }
        alive.emplace_back([&] { retry_n(each, provider); });
    }
    for (std::thread& thread : alive) thread.join();
}

void inproc_play::updown_pairs(const call& f) {
    const std::string provider = f.text("provider");
    const std::int64_t pairs = f.integer("pairs"), threads = f.integer("threads");
    const bool elsewhere = f.flag("up_and_down_on_different_threads");
    // Pairs that the thread before this one has opened.
    std::vector<std::atomic<std::int64_t>> opened(static_cast<std::size_t>(threads));
    run_together(threads, [&](std::int64_t i) {
        auto& mine = opened[static_cast<std::size_t>(i)];
        auto& next = opened[static_cast<std::size_t>(elsewhere ? (i + 1) % threads : i)];
        std::int64_t closed = 0;
        for (std::int64_t up = 0; up < pairs || closed < pairs;) {
            if (up < pairs) {
                record_sandbox_active(1, provider);
                next.fetch_add(1);
                ++up;
            } else {
                std::this_thread::yield();
            }
            for (; closed < mine.load(); ++closed) record_sandbox_active(-1, provider);
        }
    });
}

void inproc_play::histogram_from_threads(const call& f) {
    const concurrent_collector collector(telemetry, f.flag("collect_concurrently"));
    const std::string provider = f.text("provider");
    const std::int64_t each = f.integer("per_thread");
    std::vector<double> values;
    for (const json_value& value : f.at("values").items) values.push_back(number_of(value));
    require(!values.empty(), "no values");
    run_together(f.integer("threads"), [&](std::int64_t) {
        for (std::int64_t i = 0; i < each; ++i)
            record_sandbox_startup(values[static_cast<std::size_t>(i) % values.size()], provider);
    });
}

void inproc_play::with_reinit(const call& f) {
    const std::string provider = f.text("provider");
    const std::int64_t each = f.integer("per_thread"), threads = f.integer("threads");
    const std::string_view instrument = instrument_of(f.fn);
    std::vector<call_count> counts(static_cast<std::size_t>(threads));
    std::atomic<bool> last_init_done = false;
    std::latch start(threads + 1);
    std::vector<std::thread> all;
    for (call_count& mine : counts)
        all.emplace_back([&] {
            start.arrive_and_wait();
            for (std::int64_t i = 0; i < each; ++i) {
                if (last_init_done) mine.after_last_init.fetch_add(1);
                mine.begun.fetch_add(1);
                record_sandbox_create_retry(provider);
                mine.ended.fetch_add(1);
            }
        });

    start.arrive_and_wait();
    double before = 0;  // calls that had ended when this generation began
    const auto close = [&](std::vector<point> points) {
        const double begun = sum_of(counts, &call_count::begun);
        meters.push_back({total_of(points, instrument), begun - before});
    };
    for (std::int64_t i = f.integer("reinits"); i > 0; --i) {
        close(telemetry.end());
        before = sum_of(counts, &call_count::ended);
        telemetry.begin();
    }
    last_init_done = true;
    for (std::thread& thread : all) thread.join();
    close(telemetry.collect());
    calls_after_last_init = sum_of(counts, &call_count::after_last_init);
}

}  // namespace gym::telemetry::cases
