// SPDX-License-Identifier: Apache-2.0
//
// Calls that go through a shared object which links the library.
#include "child_play.hpp"
#include "process_report.hpp"
#include "verdict.hpp"

#include <condition_variable>
#include <cstdlib>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>

#include <dlfcn.h>

namespace gym::telemetry::cases {

namespace {

using record_function = void (*)(const char* provider, long times);

// Loads it as a program loads its plug-ins; the end of the process comes when it cannot be.
void* load(const char* path) {
    void* plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) {
        report("not_played", dlerror());
        std::abort();
    }
    return plugin;
}

void record_through(void* plugin, const std::string& provider, long times = 1) {
    reinterpret_cast<record_function>(dlsym(plugin, "gym_case_record"))(provider.c_str(), times);
}

void load_record_unload(const std::string& provider) {
    void* plugin = load(GYM_CASES_PLUGIN);
    record_through(plugin, provider);
    dlclose(plugin);
}

void* loaded = nullptr;

// Threads that have recorded and wait to be let go.
struct parked_threads {
    std::mutex mutex;
    std::condition_variable released;
    bool may_end = false;
    std::vector<std::thread> all;
};
parked_threads& parked() {
    static auto* const threads = new parked_threads;
    return *threads;
}

void park(std::int64_t count, const std::string& provider) {
    if (loaded == nullptr) loaded = load(GYM_CASES_PLUGIN);
    const auto recorded = std::make_shared<std::latch>(count);
    for (std::int64_t i = 0; i < count; ++i)
        parked().all.emplace_back([recorded, provider] {
            record_through(loaded, provider);
            recorded->count_down();
            std::unique_lock lock(parked().mutex);
            parked().released.wait(lock, [] { return parked().may_end; });
        });
    recorded->wait();
}

void let_go() {
    {
        const std::lock_guard lock(parked().mutex);
        parked().may_end = true;
        parked().released.notify_all();
    }
    for (std::thread& thread : parked().all) thread.join();
    parked().all.clear();
}

}  // namespace

bool play_plugin(const call& f) {
    if (f.fn == "dlopen_record_dlclose") {
        for (std::int64_t i = f.integer("n"); i > 0; --i) load_record_unload(f.text("provider"));
    } else if (f.fn == "dlopen") {
        loaded = load(GYM_CASES_PLUGIN);
    } else if (f.fn == "dlclose") {
        if (loaded != nullptr) dlclose(loaded);
        loaded = nullptr;
    } else if (f.fn == "record_on_parked_threads") {
        park(f.integer("threads"), f.text("provider"));
    } else if (f.fn == "let_threads_end") {
        let_go();
    } else if (f.fn == "thread_loads_records_unloads_then_ends") {
        for (std::int64_t i = f.integer("n"); i > 0; --i)
            std::thread(load_record_unload, f.text("provider")).join();
    } else if (f.fn == "two_shared_objects_record") {
        for (const char* path : {GYM_CASES_PLUGIN_A, GYM_CASES_PLUGIN_B})
            record_through(load(path), f.text("provider"), static_cast<long>(f.integer("each")));
    } else {
        return false;
    }
    return true;
}

}  // namespace gym::telemetry::cases
