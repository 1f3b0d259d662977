// SPDX-License-Identifier: Apache-2.0
#include "process_run.hpp"

#include "isolated.hpp"
#include "measure.hpp"
#include "tool_run.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace gym::telemetry::cases {

namespace {

using namespace std::chrono_literals;
using variables = std::map<std::string, std::string>;

std::int64_t as_ns(std::chrono::steady_clock::time_point at) {
    return at.time_since_epoch() / 1ns;
}

bool asks_for(const case_file& c, std::initializer_list<std::string_view> checks) {
    return std::ranges::any_of(checks, [&](auto check) { return c.property(check) != nullptr; });
}

// Where the machine lacks a locale it is made, in the case's folder.
void provide_locale(const std::string& name, const case_folder& folder, variables& to) {
    const std::size_t dot = name.find('.');
    const std::string language = name.substr(0, dot);
    const std::string charset = dot == name.npos ? "UTF-8" : name.substr(dot + 1);
    const std::string command = "localedef -i '" + language + "' -f '" + charset + "' '" +
                                folder.path(name) + "' >/dev/null 2>&1";
    if (std::setlocale(LC_ALL, name.c_str()) == nullptr) {
        // It exits with 1 for mere warnings; what counts is whether the locale is there.
        [[maybe_unused]] const int status = std::system(command.c_str());
        if (!std::filesystem::exists(folder.path(name)))
            throw skip("the locale " + name + " is not here and cannot be made");
        to["LOCPATH"] = folder.path(".");
    }
    std::setlocale(LC_ALL, "C");
}

variables environment_of(const case_file& c, const case_folder& folder, const std::string& url,
                         const variables& more) {
    variables to;
    for (char** entry = environ; *entry; ++entry) {
        const std::string text = *entry;
        const std::string name = text.substr(0, text.find('='));
        if (!name.starts_with("OTEL_") && !name.starts_with("NEMO_") && name != "SLURM_JOB_ID")
            to[name] = text.substr(name.size() + 1);
    }
    // Threads after a fork are what some of the cases are about, and what a forked child inherits
    // and leaves alone, since it may be locked, is no leak.
    if (is_sanitized) {
        to["TSAN_OPTIONS"] += " die_after_fork=0";
        to["ASAN_OPTIONS"] += " detect_leaks=0";
    }
    to[case_variable] = folder.path("case.json");
    to[report_variable] = folder.path("report");
    to[shared_variable] = folder.path("shared");
    if (c.given_text("telemetry") != "none") to["NEMO_GYM_OTEL_ENABLED"] = "1";
    const bool console = c.given_text("exporter") == "console";
    to["NEMO_GYM_OTEL_EXPORTER"] = console ? "console" : "otlp";
    // Self-metrics of the last export can only be seen from inside, and so can points.
    if (asks_for(c, {"rejected_reported", "counted_as_success"}) || c.expects("points") ||
        c.expects("absent"))
        to["NEMO_GYM_OTEL_EXPORTER"] += ",memory";
    if (c.given_text("telemetry") == "initialised_not_exporting")
        to["NEMO_GYM_OTEL_METRICS_ENABLED"] = to["NEMO_GYM_OTEL_TRACES_ENABLED"] = "0";
    to["OTEL_EXPORTER_OTLP_ENDPOINT"] = url;
    to["OTEL_METRIC_EXPORT_INTERVAL"] = std::to_string(c.given_integer("interval_ms", 60000));
    to["OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"] =
        c.given_text("temporality", "cumulative");
    if (c.given.find("headers")) to["OTEL_EXPORTER_OTLP_HEADERS"] = c.given_text("headers");
    for (const char* key : {"signal_handling", "terminate_handling"})
        if (c.given_flag(key, false))
            to[std::string("NEMO_GYM_OTEL_") + (key[0] == 's' ? "SIGNAL" : "TERMINATE") +
               "_HANDLING"] = "1";
    if (c.given.find("locale")) provide_locale(c.given_text("locale"), folder, to);
    for (const auto& [name, value] : more) to[name] = value;
    return to;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> to;
    for (std::string& text : texts) to.push_back(text.data());
    to.push_back(nullptr);
    return to;
}

[[noreturn]] void become_child(std::vector<std::string> words, const case_folder& folder,
                               const variables& environment) {
    std::vector<std::string> texts;
    for (const auto& [name, value] : environment) texts.push_back(name + "=" + value);
    const std::vector<char*> argv = pointers_to(words), envp = pointers_to(texts);
    dup2(open(folder.path("out").c_str(), O_WRONLY | O_CREAT, 0600), 1);
    dup2(open(folder.path("err").c_str(), O_WRONLY | O_CREAT, 0600), 2);
    // Nothing of the driver's is handed on.
    for (int descriptor = 3; descriptor < 256; ++descriptor) close(descriptor);
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
}

int threads_of(int pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("Threads:")) return std::atoi(line.c_str() + 8);
    return 0;
}

// Follows the child, and what it forks, until all is over.
class watcher {
public:
    watcher(const case_file& c, case_collector& collector, shared_words* shared)
        : c_(c), collector_(collector), shared_(shared) {}

    void watch(process_result& r, std::chrono::steady_clock::time_point until) {
        while (r.ended_ns == 0) {
            if (std::chrono::steady_clock::now() >= until) {
                kill(r.pid, SIGKILL);
                throw failure("the child is not done in time");
            }
            look(r);
            r.threads_max = std::max(r.threads_max, threads_of(r.pid));
            std::this_thread::sleep_for(5ms);
        }
        // The collector stays up for one second more, where anything is to come to it.
        const bool exports = c_.driver == "process" || c_.given.find("exporter");
        const auto end = std::chrono::steady_clock::now() + (exports ? 1s : 0s);
        while (std::chrono::steady_clock::now() < end) {
            look(r);
            std::this_thread::sleep_for(5ms);
        }
    }

    // Ends of processes that the first one did not wait for.
    const std::map<int, std::pair<std::int64_t, int>>& ends() const { return ends_; }

private:
    void look(process_result& r) {
        collector_.tick();
        step_wall_clock();
        int status = 0;
        for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
            if (ended == r.pid) {
                r.status = status;
                r.ended_ns = monotonic_ns();
            } else {
                ends_[ended] = {monotonic_ns(), status};
            }
        }
    }

    void step_wall_clock() {
        const json_value* wall = c_.given.find("wall_clock");
        const json_value* after = wall ? wall->find("after_exports") : nullptr;
        if (after && collector_.answered() >= int64_of(*after))
            std::atomic_ref(shared_->wall_step_ns)
                .store(int64_of(*wall->find("step_ms")) * 1'000'000, std::memory_order_relaxed);
    }

    const case_file& c_;
    case_collector& collector_;
    shared_words* shared_;
    std::map<int, std::pair<std::int64_t, int>> ends_;
};

shared_words* share_words(const case_folder& folder) {
    folder.write("shared", std::string(sizeof(shared_words), '\0'));
    const int file = open(folder.path("shared").c_str(), O_RDWR | O_CLOEXEC);
    void* mapped = mmap(nullptr, sizeof(shared_words), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    require(mapped != MAP_FAILED, "no shared memory");
    return static_cast<shared_words*>(mapped);
}

void read_children(process_result& r, const watcher& watched) {
    for (const report_event& event : r.events) {
        if (event.name == "fork") r.children[std::atoi(event.text.c_str())].forked_ns = event.at_ns;
        if (event.name == "reaped") {
            forked_process& child = r.children[std::atoi(event.text.c_str())];
            child.ended_ns = event.at_ns;
            child.status = std::atoi(event.text.substr(event.text.find(' ')).c_str());
        }
        if (event.name == "not_played") throw failure("call not played: " + event.text);
    }
    for (const auto& [pid, end] : watched.ends()) {
        const auto child = r.children.find(pid);
        if (child == r.children.end()) continue;  // a sanitizer has helpers of its own
        child->second.ended_ns = end.first;
        child->second.status = end.second;
    }
}

}  // namespace

process_result run_process(const case_file& c, const child_program& program,
                           std::chrono::seconds limit) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const case_folder folder(c);
    folder.write("case.json", to_json(c.line));
    shared_words* const shared = share_words(folder);
    case_collector collector(c);
    const variables environment = environment_of(c, folder, collector.url(), program.variables);
    watcher watched(c, collector, shared);

    process_result r;
    r.pid = fork();
    require(r.pid >= 0, "no child");
    if (r.pid == 0) become_child(program.argv, folder, environment);
    watched.watch(r, std::chrono::steady_clock::now() + limit);

    r.events = read_report(folder.path("report"));
    r.out = folder.read("out");
    r.err = folder.read("err");
    require(!WIFEXITED(r.status) || WEXITSTATUS(r.status) != 127, "the child did not start");
    read_children(r, watched);
    r.received = read_received(collector.requests().requests());
    for (const auto at : collector.requests().attempt_times()) r.attempts_ns.push_back(as_ns(at));
    r.requests_elsewhere = collector.requests_elsewhere();
    return r;
}

std::vector<report_event> process_result::named(std::string_view name) const {
    std::vector<report_event> to;
    for (const report_event& event : events)
        if (event.pid == pid && event.name == name) to.push_back(event);
    return to;
}

std::optional<std::int64_t> process_result::number(std::string_view name) const {
    const auto found = named(name);
    if (found.empty()) return std::nullopt;
    return std::strtoll(found.back().text.c_str(), nullptr, 10);
}

std::optional<std::int64_t> process_result::call_ns(std::string_view edge,
                                                    std::string_view fn) const {
    for (const report_event& event : named(edge))
        if (event.text == fn) return event.at_ns;
    return std::nullopt;
}

std::int64_t process_result::first_flush_ns() const {
    for (const report_event& event : named("end"))
        if (event.text == "force_flush" || event.text == "shutdown") return event.at_ns;
    return ended_ns;
}

std::int64_t process_result::last_call_begin_ns() const {
    const auto begun = named("begin");
    require(!begun.empty(), "the child began no call");
    return begun.back().at_ns;
}

std::vector<std::string> process_result::diagnostics() const {
    std::vector<std::string> to;
    for (const report_event& event : events)
        if (event.name == "diagnostic") to.push_back(event.text);
    return to;
}

std::int64_t process_result::self_metric(const std::vector<std::string>& words) const {
    std::int64_t highest = 0;
    for (const report_event& event : named("self_metric")) {
        const bool holds_all = std::ranges::all_of(words, [&](const std::string& word) {
            return (" " + event.text + " ").find(" " + word + " ") != std::string::npos;
        });
        if (holds_all)
            highest = std::max<std::int64_t>(
                highest, std::atoll(event.text.substr(event.text.rfind(' ')).c_str()));
    }
    return highest;
}

}  // namespace gym::telemetry::cases
