// SPDX-License-Identifier: Apache-2.0
//
// The process that a case of the driver `process` is about. The driver starts it with the case in a
// file and telemetry's settings in the environment.
#include "base/clock.hpp"
#include "child_play.hpp"
#include "measure.hpp"
#include "process_report.hpp"
#include "record_time.hpp"
#include "values.hpp"

#include <gym/telemetry/diagnostics.hpp>
#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/recorders.hpp>

#include <algorithm>
#include <atomic>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>

namespace gym::telemetry::cases {

namespace {

// A wall clock that somebody sets while the process runs: by the driver's word, or when so much
// steady time has passed.
struct stepping_clock {
    shared_words* shared = nullptr;
    std::int64_t begin_ns = 0;
    std::int64_t after_ns = -1;
    std::int64_t step_ns = 0;
};

std::int64_t system_ns(clockid_t which) noexcept {
    timespec now{};
    clock_gettime(which, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

std::int64_t stepped_wall(void* context) noexcept {
    const auto& clock = *static_cast<stepping_clock*>(context);
    std::int64_t step = 0;
    if (clock.shared)
        step = std::atomic_ref(clock.shared->wall_step_ns).load(std::memory_order_relaxed);
    if (clock.after_ns >= 0 && monotonic_ns() - clock.begin_ns >= clock.after_ns)
        step += clock.step_ns;
    return system_ns(CLOCK_REALTIME) + step;
}

void set_wall_clock(const json_value& how) {
    static stepping_clock clock;
    static detail::clock_source source{[](void*) noexcept { return system_ns(CLOCK_MONOTONIC); },
                                       stepped_wall, &clock};
    clock.begin_ns = monotonic_ns();
    if (const json_value* after = how.find("after_ms")) {
        clock.after_ns = int64_of(*after) * 1'000'000;
        clock.step_ns = int64_of(*how.find("step_ms")) * 1'000'000;
    }
    if (const char* path = std::getenv(shared_variable)) {
        const int file = open(path, O_RDWR | O_CLOEXEC);
        void* mapped =
            mmap(nullptr, sizeof(shared_words), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (mapped != MAP_FAILED) clock.shared = static_cast<shared_words*>(mapped);
    }
    detail::set_clock_source(&source);
}

case_file read_own_case() {
    std::ifstream file(std::getenv(case_variable));
    std::string line;
    std::getline(file, line);
    return read_case(parse_json(line));
}

// Anywhere, also in what forked children do.
bool has_call(const std::vector<call>& calls, std::string_view fn) {
    return std::ranges::any_of(calls, [&](const call& f) {
        if (f.fn == fn) return true;
        for (const char* inner : {"child", "each"})
            if (const json_value* list = f.find(inner))
                if (has_call(calls_of(*list), fn)) return true;
        return false;
    });
}

std::atomic<bool> static_object_records = false;
struct static_object {
    ~static_object() {
        if (static_object_records) record_sandbox_create_retry("p");
    }
};
const static_object recording_object;

}  // namespace

void arm_static_object() {
    static_object_records = true;
}

void record_forever(std::int64_t threads, const std::string& provider) {
    for (std::int64_t i = 0; i < threads; ++i)
        std::thread([provider] {
            for (;;) record_sandbox_create_retry(provider);
        }).detach();
}

void report_self_metrics() {
    for (const point& p : collect(0).points) {
        if (!p.instrument.starts_with("gym.telemetry.export_")) continue;
        const auto* value = std::get_if<std::int64_t>(&p.value);
        if (value == nullptr) continue;
        std::string text = p.instrument;
        for (const auto& attribute : p.attributes)
            if (const auto* label = std::get_if<std::string>(&attribute.second))
                text += " " + *label;
        report("self_metric", text + " " + std::to_string(*value));
    }
}

}  // namespace gym::telemetry::cases

int main() {
    using namespace gym::telemetry;
    using namespace gym::telemetry::cases;
    const case_file c = read_own_case();
    if (c.given.find("locale") && !std::setlocale(LC_ALL, c.given_text("locale").c_str()))
        report("not_played", "the locale is not there");
    if (const json_value* wall = c.given.find("wall_clock")) set_wall_clock(*wall);
    set_diagnostics_handler([](const diagnostic& what, void*) {
        report("diagnostic", std::string(what.cause) + " " + std::string(what.message));
        if (what.cause.starts_with("export.")) report_self_metrics();
    });
    if (c.given_text("telemetry", "exporting") != "none" && !has_call(c.calls, "init")) init();

    std::optional<memory_growth> growth;
    if (c.property("rss_growth_le_mib")) growth.emplace();
    if (c.property("record_p999_le_us")) begin_probe();
    child_play played;
    played.play(c.calls);
    end_probe();
    if (growth) report("growth_kib", static_cast<std::int64_t>(growth->peak_mib() * 1024));
    report("threads", thread_count());
    report("sockets", socket_count());
    report_self_metrics();
    return 0;
}
