// SPDX-License-Identifier: Apache-2.0
//
// The properties of the driver `process`.
#include "isolated.hpp"
#include "measure.hpp"
#include "process_run.hpp"
#include "recorder_calls.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <gym/telemetry/constants.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <sys/wait.h>

namespace gym::telemetry::cases {

namespace {

struct view {
    const case_file& c;
    const process_result& r;
    const json_value& property;

    double n() const { return number_of(*property.find("n")); }
    std::string field(std::string_view name) const { return text_of(*property.find(name)); }
    const received_data& data() const { return r.received; }

    // Identities of the first process, and of all others.
    bool is_first(const std::string& identity) const {
        const auto resource = data().resources.find(identity);
        if (resource == data().resources.end()) return false;
        const auto pid = resource->second.find("process.pid");
        return pid != resource->second.end() && pid->second == std::to_string(r.pid);
    }
    double total(bool first) const {
        double sum = 0;
        for (const auto& [identity, value] : data().totals())
            if (is_first(identity) == first) sum += value;
        return sum;
    }
    std::int64_t number(std::string_view event) const {
        const auto value = r.number(event);
        require(value.has_value(), "the child reported no " + std::string(event));
        return *value;
    }
};

constexpr double ns_per_s = 1e9;
constexpr double ns_per_ms = 1e6;

// The message that the fake collector sends in a partial success.
std::string server_message(const case_file& c) {
    if (const json_value* collector = c.given.find("collector"))
        if (const json_value* responses = collector->find("responses"))
            for (const json_value& response : responses->items)
                if (const json_value* partial = response.find("partial_success"))
                    return text_or_empty(partial->find("error_message"));
    return {};
}

void message_reported(const view& v) {
    const std::string message = server_message(v.c);
    const auto all = v.r.diagnostics();
    require(std::ranges::any_of(
                all, [&](const std::string& said) { return said.find(message) != said.npos; }),
            "no diagnostic has the server's message");
}

void rejected_reported(const view& v) {
    expect_eq(static_cast<double>(
                  v.r.self_metric({"gym.telemetry.export_rejected_points_total", "otlp"})),
              v.n(), "the self-metric of rejected points");
    message_reported(v);
}

void counted_as_success(const view& v) {
    require(v.r.self_metric({"gym.telemetry.export_total", "otlp", "ok"}) > 0,
            "no export counts as a success");
    for (const char* outcome : {"partial", "rejected", "failed"})
        expect_eq(
            static_cast<double>(v.r.self_metric({"gym.telemetry.export_total", "otlp", outcome})),
            0, std::string("the number of exports that are ") + outcome);
    message_reported(v);
}

void error_reported_once(const view& v) {
    const auto all = v.r.diagnostics();
    const auto errors = std::ranges::count_if(all, [](const std::string& said) {
        return said.starts_with("export.failed ") || said.starts_with("export.rejected_points ");
    });
    expect_eq(static_cast<double>(errors), 1, "the number of diagnostics of an export");
}

double attempts_before_flush(const view& v) {
    return static_cast<double>(std::ranges::count_if(
        v.r.attempts_ns, [&](std::int64_t at) { return at <= v.r.first_flush_ns(); }));
}

// What a request carries, whatever its bytes are.
std::string content_of(const received_data& data, std::size_t request) {
    std::string to;
    for (const received_point& p : data.points)
        if (p.request == request)
            to += p.identity + p.series() + "=" + std::to_string(p.value) + "\n";
    return to;
}

void attempts_per_batch(const view& v) {
    std::map<std::string, double> batches;
    for (std::size_t i = 0; i < v.data().requests.size(); ++i) {
        const auto arrived = v.data().requests[i].arrived.time_since_epoch();
        if (arrived / std::chrono::nanoseconds(1) <= v.r.first_flush_ns())
            ++batches[content_of(v.data(), i)];
    }
    require(!batches.empty(), "no request came");
    for (const auto& batch : batches)
        expect_eq(batch.second, v.n(), "the number of requests with the same points");
}

void retried_bytes_identical(const view& v) {
    // A point is told by its series and its interval.
    std::map<std::string, std::string> bodies;
    for (const received_point& p : v.data().points) {
        const std::string point = p.identity + p.series() + std::to_string(p.start_ns);
        const std::string& body = v.data().requests[p.request].body;
        const auto [at, fresh] = bodies.try_emplace(point, body);
        require(fresh || at->second == body, "a point came again in other bytes: " + p.instrument);
    }
}

double gap_ms(const view& v) {
    require(v.r.attempts_ns.size() >= 2 && !v.data().requests.empty(),
            "there was no second request");
    const test::received_request& first = v.data().requests.front();
    const auto answered = first.answered ? first.answered_at : first.arrived;
    const std::int64_t from = answered.time_since_epoch() / std::chrono::nanoseconds(1);
    return static_cast<double>(v.r.attempts_ns[1] - from) / ns_per_ms;
}

void start_time_constant(const view& v) {
    std::map<std::string, std::int64_t> starts;
    for (const received_point& p : v.data().points) {
        if (p.is_delta) continue;
        const auto [at, fresh] = starts.try_emplace(p.identity + p.series(), p.start_ns);
        require(fresh || at->second == p.start_ns, "another start time: " + p.instrument);
    }
}

void second_start_later(const view& v) {
    std::map<std::string, std::vector<std::int64_t>> starts;
    for (const received_point& p : v.data().points) {
        auto& of_series = starts[p.series()];
        if (of_series.empty() || of_series.back() != p.start_ns) of_series.push_back(p.start_ns);
    }
    require(!starts.empty(), "no point came");
    for (const auto& [series, of_series] : starts) {
        require(of_series.size() >= 2, "there is no second start time");
        require(std::ranges::is_sorted(of_series), "a later start time is earlier");
    }
}

double last_value(const view& v) {
    std::set<std::string> series;
    for (const received_point& p : v.data().points) series.insert(p.identity + p.series());
    require(series.size() == 1, std::to_string(series.size()) + " series came");
    return v.data().points.back().value;
}

void add_providers(const std::vector<call>& calls, std::vector<std::string>& to) {
    for (const call& f : calls) {
        if (f.find("provider")) to.push_back(f.text("provider"));
        for (const char* inner : {"child", "each"})
            if (const json_value* list = f.find(inner)) add_providers(calls_of(*list), to);
    }
}

void never_splits(const view& v) {
    std::vector<std::string> recorded;
    add_providers(v.c.calls, recorded);
    for (const received_point& p : v.data().points) {
        const auto value = p.attributes.find(std::string(sandbox_provider_attribute));
        if (value == p.attributes.end()) continue;
        const std::string& got = value->second;
        require(std::ranges::any_of(recorded,
                                    [&](const std::string& whole) {
                                        if (!whole.starts_with(got)) return false;
                                        if (whole.size() == got.size()) return true;
                                        const auto next =
                                            static_cast<unsigned char>(whole[got.size()]);
                                        return (next & 0xc0) != 0x80;
                                    }),
                "a value is no prefix that ends at a character: " + got.substr(0, 60));
    }
}

void child_resource_differs(const view& v) {
    std::set<std::string> first, others;
    for (const auto& [identity, attributes] : v.data().resources) {
        const auto at = attributes.find(v.field("key"));
        if (at != attributes.end()) (v.is_first(identity) ? first : others).insert(at->second);
    }
    require(!first.empty() && !others.empty(), "one of the two sent no " + v.field("key"));
    for (const std::string& value : first) require(!others.contains(value), "both sent " + value);
}

double slowest_child_s(const view& v) {
    double slowest = 0;
    for (const auto& [pid, child] : v.r.children) {
        require(child.ended_ns.has_value(), "a child has not ended");
        slowest =
            std::max(slowest, static_cast<double>(*child.ended_ns - child.forked_ns) / ns_per_s);
    }
    return slowest;
}

double exit_s(const view& v) {
    return static_cast<double>(v.r.ended_ns - v.r.last_call_begin_ns()) / ns_per_s;
}

double shutdown_ms(const view& v) {
    const auto begin = v.r.call_ns("begin", "shutdown"), end = v.r.call_ns("end", "shutdown");
    require(begin && end, "no shutdown returned");
    return static_cast<double>(*end - *begin) / ns_per_ms;
}

// Signals that the calls of a case end a process by.
void add_signals(const std::vector<call>& calls, const case_file& c, std::set<std::string>& to) {
    for (const call& f : calls) {
        if (f.fn == "kill_self") to.insert(f.text("signal"));
        if (f.fn == "throw_out_of_main") to.insert("ABRT");
        for (const char* inner : {"child", "each"})
            if (const json_value* list = f.find(inner)) add_signals(calls_of(*list), c, to);
    }
}

void no_crash(const view& v) {
    std::set<std::string> asked;
    add_signals(v.c.calls, v.c, asked);
    const auto check = [&](int status, const std::string& who) {
        if (WIFSIGNALED(status))
            require(asked.contains(signal_name(WTERMSIG(status))),
                    who + " ended by SIG" + signal_name(WTERMSIG(status)) + ": " + v.r.err);
    };
    check(v.r.status, "the process");
    for (const auto& [pid, child] : v.r.children) check(child.status, "a child");
    require(v.r.err.find("Sanitizer") == std::string::npos, "a sanitizer reported: " + v.r.err);
}

void export_thread_alive(const view& v) {
    const auto changed = v.r.named("end");
    std::int64_t last = 0;
    for (const report_event& event : changed)
        if (event.text == "set_snapshot") last = event.at_ns;
    require(std::ranges::any_of(v.r.attempts_ns, [&](std::int64_t at) { return at > last; }),
            "no request arrived after the last set_snapshot");
}

void threads_eq(const view& v) {
    // A sanitizer may have a thread of its own.
    const auto threads = static_cast<double>(v.number("threads"));
    if (is_sanitized && threads == v.n() + 1) return;
    expect_eq(threads, v.n(), "the number of threads");
}

using check = void (*)(const view&);

void each_identity(const view& v) {
    require(!v.data().totals().empty(), "no point came");
    for (const auto& [identity, value] : v.data().totals())
        expect_eq(value, v.n(), "the total of " + identity);
}

void value_length(const view& v) {
    for (const received_point& p : v.data().points)
        for (const auto& [key, value] : p.attributes)
            expect_le(static_cast<double>(value.size()), v.n(), "the length of a value");
}

void request_bytes(const view& v) {
    for (const test::received_request& request : v.data().requests)
        expect_le(static_cast<double>(request.body.size()), v.n(), "the size of a request");
}

void terminated_by(const view& v) {
    require(WIFSIGNALED(v.r.status), "it did not end by a signal");
    require(signal_name(WTERMSIG(v.r.status)) == v.field("signal"),
            "it ended by SIG" + signal_name(WTERMSIG(v.r.status)));
}

void exit_code(const view& v) {
    require(WIFEXITED(v.r.status), "it ended by a signal: " + v.r.err);
    expect_eq(WEXITSTATUS(v.r.status), v.n(), "the exit code");
}

void start_le_time(const view& v) {
    for (const received_point& p : v.data().points)
        require(p.start_ns <= p.time_ns, "a point ends before it starts: " + p.instrument);
}

const std::map<std::string_view, check>& data_checks() {
    static const std::map<std::string_view, check> table = {
        {"received_total_eq",
         [](const view& v) { expect_eq(v.data().total(), v.n(), "the total"); }},
        {"sum_over_identities_eq",
         [](const view& v) { expect_eq(v.data().total(), v.n(), "the sum"); }},
        {"parent_total_eq",
         [](const view& v) { expect_eq(v.total(true), v.n(), "the parent's total"); }},
        {"child_total_eq",
         [](const view& v) { expect_eq(v.total(false), v.n(), "the children's total"); }},
        {"identities_eq",
         [](const view& v) {
             expect_eq(static_cast<double>(v.data().totals().size()), v.n(),
                       "the number of identities");
         }},
        {"each_identity_value_eq", each_identity},
        {"child_resource_differs", child_resource_differs},
        {"last_received_value_eq",
         [](const view& v) { expect_eq(last_value(v), v.n(), "the last value"); }},
        {"attempts_eq",
         [](const view& v) {
             expect_eq(attempts_before_flush(v), v.n(), "the number of attempts");
         }},
        {"attempts_per_batch_eq", attempts_per_batch},
        {"retried_bytes_identical", retried_bytes_identical},
        {"gap_ge_ms",
         [](const view& v) {
             require(gap_ms(v) >= v.n(), "the gap is " + short_number(gap_ms(v)) + " ms");
         }},
        {"gap_le_ms", [](const view& v) { expect_le(gap_ms(v), v.n(), "the gap in ms"); }},
        {"value_length_le", value_length},
        {"request_bytes_le", request_bytes},
        {"valid_utf8_on_wire",
         [](const view& v) { require(v.data().problem.empty(), v.data().problem); }},
        {"truncation_never_splits_a_character", never_splits},
        {"auth_header_not_sent_elsewhere",
         [](const view& v) {
             expect_eq(static_cast<double>(v.r.requests_elsewhere), 0,
                       "the number of requests elsewhere");
         }},
        {"start_time_le_time", start_le_time},
        {"start_time_constant_for_cumulative", start_time_constant},
        {"second_start_time_later", second_start_later},
        {"export_thread_alive", export_thread_alive},
    };
    return table;
}

const std::map<std::string_view, check>& run_checks() {
    static const std::map<std::string_view, check> table = {
        {"rejected_reported", rejected_reported},
        {"counted_as_success", counted_as_success},
        {"error_reported_once", error_reported_once},
        {"record_never_blocked",
         [](const view& v) {
             expect_le(static_cast<double>(v.number("longest_record_ns")) / ns_per_ms, 50,
                       "the longest record in ms");
         }},
        {"record_p999_le_us",
         [](const view& v) {
             expect_le(static_cast<double>(v.number("record_p999_ns")) / 1000, v.n(),
                       "p99.9 of a record in us");
         }},
        {"threads_le",
         [](const view& v) { expect_le(v.r.threads_max, v.n(), "the number of threads"); }},
        {"threads_eq", threads_eq},
        {"sockets_eq",
         [](const view& v) {
             expect_eq(static_cast<double>(v.number("sockets")), v.n(), "the number of sockets");
         }},
        {"rss_growth_le_mib",
         [](const view& v) {
             if (is_sanitized) throw skip("memory is not judged under a sanitizer");
             expect_le(static_cast<double>(v.number("growth_kib")) / 1024, v.n(),
                       "the growth in MiB");
         }},
        {"shutdown_took_le_ms",
         [](const view& v) { expect_le(shutdown_ms(v), v.n(), "the shutdown in ms"); }},
        {"exit_within_s", [](const view& v) { expect_le(exit_s(v), v.n(), "the exit in s"); }},
        {"parent_exit_within_s",
         [](const view& v) { expect_le(exit_s(v), v.n(), "the exit in s"); }},
        {"child_exit_within_s",
         [](const view& v) { expect_le(slowest_child_s(v), v.n(), "the child's life in s"); }},
        {"no_child_hangs_s",
         [](const view& v) { expect_le(slowest_child_s(v), v.n(), "a child's life in s"); }},
        {"no_socket_inherited_by_exec",
         [](const view& v) {
             require(v.r.named("inheritable_socket").empty(), "a socket is not close-on-exec");
         }},
        {"exit_code", exit_code},
        {"terminated_by", terminated_by},
        {"stdout_contains",
         [](const view& v) {
             require(v.r.out.find(v.field("text")) != std::string::npos,
                     "stdout is " + v.r.out.substr(0, 500));
         }},
        {"stdout_not_contains",
         [](const view& v) {
             require(v.r.out.find(v.field("text")) == std::string::npos,
                     "stdout is " + v.r.out.substr(0, 500));
         }},
        {"no_crash", no_crash},
        {"no_deadlock", [](const view&) {}},  // the driver waits 60 s and no more
    };
    return table;
}

}  // namespace

void check_process_properties(const case_file& c, const process_result& r) {
    for (const json_value& property : c.properties()) {
        const std::string& name = property.find("check")->text;
        const auto of_data = data_checks().find(name);
        const auto of_run = run_checks().find(name);
        const bool found = of_data != data_checks().end();
        require(found || of_run != run_checks().end(), "property not checked: " + name);
        try {
            (found ? of_data : of_run)->second({c, r, property});
        } catch (const failure& error) {
            throw failure(name + ": " + error.what());
        }
    }
}

}  // namespace gym::telemetry::cases
