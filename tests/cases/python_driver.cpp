// SPDX-License-Identifier: Apache-2.0
//
// Driver `python`: an interpreter with the Python package, and a fake collector. What the case says
// of points and errors python/tests/case_child.py sees from inside; the rest is seen from here.
#include "drivers.hpp"
#include "process_run.hpp"
#include "verdict.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace gym::telemetry::cases {

namespace {

// An interpreter that has the package installed, where the variable names one; else the one that
// the package was built for, and the package as it was built.
child_program interpreter() {
    if (const char* named = std::getenv("GYM_CASES_PYTHON"))
        return {{named, GYM_CASES_PYTHON_CHILD}, {}};
    const std::string executable = GYM_CASES_PYTHON_EXECUTABLE;
    if (executable.empty()) throw skip("this build has no Python package (GYM_TELEMETRY_PYTHON)");
    return {{executable, GYM_CASES_PYTHON_CHILD}, {{"PYTHONPATH", GYM_CASES_PYTHON_PACKAGE}}};
}

const report_event* last_of(const process_result& r, std::string_view name) {
    const report_event* found = nullptr;
    for (const report_event& event : r.events)
        if (event.name == name) found = &event;
    return found;
}

// What the interpreter itself said; nothing when a call ended it.
void check_own_word(const case_file& c, const process_result& r) {
    const std::string last_words = r.err.substr(r.err.size() - std::min(r.err.size(), size_t{500}));
    require(last_of(r, "version") != nullptr, "the package is not there: " + last_words);
    if (const report_event* skipped = last_of(r, "skipped")) throw skip(skipped->text);
    if (const report_event* failed = last_of(r, "failed")) throw failure(failed->text);
    if (last_of(r, "passed") != nullptr) return;
    for (const char* seen_inside : {"points", "absent", "no_error_reaches_caller"})
        require(c.expects(seen_inside) == nullptr,
                std::string("it ended before ") + seen_inside + " could be seen: " + last_words);
}

}  // namespace

void play_python(const case_file& c) {
    const process_result r = run_process(c, interpreter(), std::chrono::seconds(60));
    check_own_word(c, r);
    check_process_properties(c, r);
}

}  // namespace gym::telemetry::cases
