// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gym::telemetry::test {

// What `play` returns in a forked child, as its exit code; -1 when it ended otherwise.
template <class Play>
int in_forked_child(Play play) {
    const pid_t child = fork();
    if (child == 0) _exit(play());
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace gym::telemetry::test
