// SPDX-License-Identifier: Apache-2.0
#include "http/capacity.hpp"

#include <algorithm>
#include <cstdio>

#include <sys/resource.h>

namespace gym::telemetry::http {

namespace {

using telemetry::detail::errc;
using telemetry::detail::error;
using telemetry::detail::result;

std::string text(std::int64_t value) {
    return std::to_string(value);
}

std::int64_t share_up(std::int64_t all, std::int64_t workers) {
    return all / workers + (all % workers != 0 ? 1 : 0);
}

// The smallest limit that is one; 0 when neither is.
std::int64_t smallest_limit(const slot_limits& limits) {
    if (limits.total == 0 || limits.per_host == 0) return std::max(limits.total, limits.per_host);
    return std::min(limits.total, limits.per_host);
}

result<std::int64_t> share_down(std::int64_t limit, std::int64_t workers, const char* name) {
    if (limit < 0)
        return error{errc::invalid, std::string(name) + " " + text(limit) + " is negative"};
    if (limit > 0 && limit < workers) {
        return error{errc::limit, std::string(name) + " " + text(limit) + " divided over " +
                                      text(workers) + " workers leaves nothing for each"};
    }
    return limit / workers;
}

std::vector<capacity_warning> warnings_of(const capacity_question& asked, const slot_limits& own) {
    std::vector<capacity_warning> warnings;
    const std::int64_t intended = share_up(asked.intended, asked.workers);
    const std::int64_t per_host = share_up(asked.intended_per_host, asked.workers);
    const std::int64_t smallest = smallest_limit(own);
    if (intended > 0 && own.total > 0 && intended > own.total) {
        warnings.push_back({"total", "intended concurrency " + text(intended) +
                                         " a worker exceeds its total connection limit " +
                                         text(own.total) + ": requests will queue"});
    }
    if (per_host > 0 && smallest > 0 && per_host > smallest) {
        warnings.push_back({"per_host", "intended concurrency " + text(per_host) +
                                            " a worker to one host exceeds its connection limit " +
                                            text(smallest) + ": requests will queue"});
    }
    if (intended > 0 && asked.descriptors > 0 && intended >= asked.descriptors) {
        warnings.push_back({"descriptors", "intended concurrency " + text(intended) +
                                               " a worker reaches the soft limit of " +
                                               text(asked.descriptors) +
                                               " file descriptors: raise it (ulimit -n)"});
    }
    if (asked.ephemeral_ports > 0 && asked.intended_per_host > asked.ephemeral_ports) {
        warnings.push_back({"ports", "intended concurrency " + text(asked.intended_per_host) +
                                         " to one host exceeds the " + text(asked.ephemeral_ports) +
                                         " ephemeral ports: widen ip_local_port_range"});
    }
    return warnings;
}

}  // namespace

result<capacity_plan> plan_capacity(const capacity_question& question) {
    if (question.workers < 1)
        return error{errc::invalid, "workers " + text(question.workers) + " is not positive"};
    if (question.intended < 0 || question.intended_per_host < 0)
        return error{errc::invalid, "an intended concurrency is negative"};
    const result<std::int64_t> total = share_down(question.limits.total, question.workers, "limit");
    if (!total) return total.failure();
    const result<std::int64_t> per_host =
        share_down(question.limits.per_host, question.workers, "limit_per_host");
    if (!per_host) return per_host.failure();
    capacity_plan plan{.limits = {.total = *total, .per_host = *per_host}, .warnings = {}};
    plan.warnings = warnings_of(question, plan.limits);
    return plan;
}

void measure_capacity(capacity_question& question) noexcept {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        question.descriptors = static_cast<std::int64_t>(limit.rlim_cur);
    if (FILE* file = std::fopen("/proc/sys/net/ipv4/ip_local_port_range", "re")) {
        long first = 0, last = 0;
        if (std::fscanf(file, "%ld %ld", &first, &last) == 2 && last >= first)
            question.ephemeral_ports = last - first + 1;
        std::fclose(file);
    }
}

}  // namespace gym::telemetry::http
