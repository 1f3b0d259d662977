// SPDX-License-Identifier: Apache-2.0
#include "child_play.hpp"

#include "measure.hpp"
#include "process_report.hpp"
#include "record_time.hpp"
#include "recorder_calls.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/recorders.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gym::telemetry::cases {

namespace {

std::chrono::milliseconds timeout_of(const call& f) {
    return std::chrono::milliseconds(f.find("timeout_ms") ? f.integer("timeout_ms") : -1);
}

void report_open_sockets() {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        const auto target = std::filesystem::read_symlink(entry.path(), gone).string();
        const int descriptor = std::atoi(entry.path().filename().c_str());
        if (target.starts_with("socket:") && (fcntl(descriptor, F_GETFD) & FD_CLOEXEC) == 0)
            report("inheritable_socket", descriptor);
    }
}

[[noreturn]] void become(const call& f) {
    std::vector<std::string> words;
    for (const json_value& word : f.at("argv").items) words.push_back(text_of(word));
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    report_open_sockets();
    execvp(argv.front(), argv.data());
    _exit(127);
}

void kill_self(const call& f) {
    if (f.find("after_ms"))
        std::this_thread::sleep_for(std::chrono::milliseconds(f.integer("after_ms")));
    const std::string name = f.text("signal");
    kill(getpid(), name == "INT" ? SIGINT : name == "TERM" ? SIGTERM : SIGKILL);
    // Whoever handles it may do so on another thread; main has nothing else to do.
    std::this_thread::sleep_for(std::chrono::seconds(30));
}

}  // namespace

void child_play::play(const std::vector<call>& calls) {
    for (const call& f : calls) {
        if (!in_child_) report("begin", f.fn);
        if (const auto record = recorder_of(f)) {
            for (std::int64_t i = 0; i < f.repeat; ++i) timed(record);
        } else {
            for (std::int64_t i = 0; i < f.repeat; ++i) play(f);
        }
        if (!in_child_) report("end", f.fn);
        report_longest_record();
    }
}

void child_play::play(const call& f) {
    if (!play_telemetry(f) && !play_process(f) && !play_end(f) && !play_plugin(f))
        report("not_played", f.fn);
}

bool child_play::play_telemetry(const call& f) {
    if (f.fn == "init") {
        init();
    } else if (f.fn == "shutdown") {
        report_self_metrics();
        shutdown(timeout_of(f));
    } else if (f.fn == "force_flush") {
        flush(timeout_of(f));
        report_self_metrics();
    } else if (f.fn == "register_http_connection_pool_connect_counter") {
        auto added = std::make_shared<connect_counter>();
        added->set(f.at("snapshot"));
        added->register_scoped();
        if (added->is_registered()) counter_ = std::move(added);
    } else if (f.fn == "set_snapshot") {
        counter_->set(f.at("snapshot"));
    } else if (f.fn == "record_from_threads") {
        from_threads(f);
    } else if (f.fn == "record_loop_until_signal") {
        record_forever(f.integer("threads"), f.text("provider"));
    } else if (f.fn == "detached_thread_records_forever") {
        record_forever(1, f.text("provider"));
    } else {
        return false;
    }
    return true;
}

void child_play::from_threads(const call& f) {
    const std::string provider = f.text("provider");
    const std::int64_t each = f.integer("per_thread"), threads = f.integer("threads");
    std::latch start(threads);
    std::vector<std::thread> all;
    for (std::int64_t i = 0; i < threads; ++i)
        all.emplace_back([&] {
            start.arrive_and_wait();
            for (std::int64_t n = 0; n < each; ++n)
                timed([&] { record_sandbox_create_retry(provider); });
        });
    for (std::thread& thread : all) thread.join();
}

bool child_play::play_process(const call& f) {
    if (f.fn == "sleep_ms") {
        std::this_thread::sleep_for(std::chrono::milliseconds(f.integer("ms")));
    } else if (f.fn == "fork") {
        fork_and_play(calls_of(f.at("child")));
    } else if (f.fn == "wait_child") {
        if (!children_.empty()) wait_for(children_.back());
    } else if (f.fn == "fork_loop") {
        const auto calls = calls_of(f.at("child"));
        for (std::int64_t i = f.integer("n"); i > 0; --i) {
            fork_and_play(calls);
            wait_for(children_.back());
        }
    } else if (f.fn == "fork_workers") {
        const auto calls = calls_of(f.at("each"));
        for (std::int64_t i = f.integer("n"); i > 0; --i) fork_and_play(calls);
        while (!children_.empty()) wait_for(children_.front());
    } else if (f.fn == "static_object_records_in_destructor") {
        arm_static_object();
    } else if (f.fn == "atexit_records") {
        std::atexit([] { record_sandbox_create_retry("p"); });
    } else {
        return false;
    }
    return true;
}

void child_play::fork_and_play(const std::vector<call>& calls) {
    const pid_t child = fork();
    require(child >= 0, "no child");
    if (child > 0) {
        report("fork", child);
        children_.push_back(child);
        return;
    }
    in_child_ = true;
    children_.clear();
    play(calls);
    std::exit(0);  // what returning from main does
}

void child_play::wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    report("reaped", std::to_string(child) + " " + std::to_string(status));
    std::erase(children_, child);
}

bool child_play::play_end(const call& f) {
    if (f.fn == "exit") {
        std::exit(static_cast<int>(f.integer("code")));
    } else if (f.fn == "_exit") {
        _exit(static_cast<int>(f.integer("code")));
    } else if (f.fn == "return_from_main") {
        std::exit(0);
    } else if (f.fn == "exec") {
        become(f);
    } else if (f.fn == "kill_self") {
        kill_self(f);
    } else if (f.fn == "throw_out_of_main") {
        throw std::runtime_error("nobody catches this");
    } else {
        return false;
    }
    return true;
}

}  // namespace gym::telemetry::cases
