// SPDX-License-Identifier: Apache-2.0
//
// Driver `cli`: gymtel in a fresh folder with the files of the case.
#include "drivers.hpp"
#include "tool_run.hpp"
#include "verdict.hpp"

namespace gym::telemetry::cases {

void play_cli(const case_file& c) {
    const case_folder folder(c);
    for (const call& f : c.calls) {
        require(f.fn == "run", "call not played: " + f.fn);
        tool_result last;
        for (std::int64_t i = 0; i < f.repeat; ++i) last = run_tool(c, folder, f);
        if (&f == &c.calls.back()) check_tool(c, last);
    }
}

}  // namespace gym::telemetry::cases
