// SPDX-License-Identifier: Apache-2.0
//
// How long calls of recorders take.
#pragma once

#include <cstdint>

namespace gym::telemetry::cases {

// A moment of the calling thread.
struct thread_moment {
    std::int64_t ns;
    long preempted;  // times that the scheduler took the processor away
    long waited;     // times that the thread gave it up
};
thread_moment thread_now();
void note_record(const thread_moment& before);

// Runs one call of a recorder and keeps how long the longest one took.
template <class Record>
void timed(const Record& record) {
    const thread_moment before = thread_now();
    record();
    note_record(before);
}
// Into the report, when it grew since the last time.
void report_longest_record();

// A thread that makes 100,000 calls to a series of their own, until it is joined.
void begin_probe();
void end_probe();

}  // namespace gym::telemetry::cases
