// SPDX-License-Identifier: Apache-2.0
//
// Which generation is in force in this process, and how threads join it.
#pragma once

#include "engine/generation.hpp"

#include <memory>

namespace gym::telemetry::engine {

// Puts a generation in force: from now on recorders record into it. Ends the one before.
void begin_generation(std::shared_ptr<generation> next);
// From now on recorders are no-ops. What is under way on another thread may still reach its cells.
void end_generation() noexcept;
// Null while none is in force.
std::shared_ptr<generation> current_generation() noexcept;

// The calling thread's block of the generation in force, joining it if need be; null when none is,
// or not the one that is wanted. May throw bad_alloc.
thread_block* attach_this_thread(const generation* wanted = nullptr);

// A record that the inlined path could not finish: the thread has not joined this generation, the
// series is new to it, or the generation is not recorded by plain cells alone.
[[gnu::cold]] void record_elsewhere(instrument_id id, const std::string_view* values,
                                    measurement what) noexcept;
[[gnu::cold]] void drop_record(instrument_id id, std::string_view reason) noexcept;

// The id of a new binding: the place of its cell in the threads' tables; 0 when all are taken. May
// throw bad_alloc.
std::size_t begin_binding();
// The binding has ended and nobody uses it: its id may be another's. 0 is fine.
void end_binding(std::size_t id) noexcept;

// Around fork(): no thread is in the middle of joining while the process is copied, and the child
// begins without a generation and without the parent's cells (which it leaks: other threads, which
// do not exist in it, may have held locks over them). With `resume` its first record calls the
// hook, which is to begin a generation of the child's own, or to end recording.
void before_fork() noexcept;
void after_fork_in_parent() noexcept;
void after_fork_in_child(bool resume) noexcept;
void set_resume_hook(void (*hook)() noexcept) noexcept;

}  // namespace gym::telemetry::engine
