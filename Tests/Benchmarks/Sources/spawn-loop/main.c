/// Starts a program repeatedly, a given number at a time: the limit for a daemon in C.
///
///     spawn-loop PROGRAM AT-A-TIME SECONDS
///
/// Writes the JSON line of `load`; the latency of a program runs from its start to its end.
#define _GNU_SOURCE
#include <errno.h>
#include <measure.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { MOST = 256 };

extern char **environ;

struct child {
    pid_t process;
    uint64_t begun;
};

static void start(struct child *child, char *program) {
    char *arguments[] = { program, NULL };
    child->begun = measure_now();
    int fault = posix_spawn(&child->process, program, NULL, NULL, arguments, environ);
    if (fault) measure_fail("cannot start '%s': %s", program, strerror(fault));
}

/// Waits for a program to succeed.
static pid_t wait_for_any(void) {
    int status;
    pid_t process;
    while ((process = waitpid(-1, &status, 0)) < 0 && errno == EINTR) {}
    if (process < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) measure_fail("a program has failed");
    return process;
}

int main(int count, char **texts) {
    static struct measure_run run = { .plan = { .warm_up = 0.2 } };
    static struct child children[MOST];
    int at_a_time = count == 4 ? atoi(texts[2]) : 0;
    if (at_a_time < 1 || at_a_time > MOST) measure_fail("usage: spawn-loop PROGRAM AT-A-TIME SECONDS");
    run.plan.seconds = atof(texts[3]);
    measure_begin(&run);
    for (int i = 0; i < at_a_time; i++) start(&children[i], texts[1]);
    for (bool is_over = false; !is_over;) {
        pid_t process = wait_for_any();
        uint64_t now = measure_now();
        for (int i = 0; i < at_a_time; i++) {
            if (children[i].process != process) continue;
            measure_reply(&run, children[i].begun, now);
            start(&children[i], texts[1]);
            break;
        }
        is_over = measure_is_over(&run, now);
    }
    for (int i = 0; i < at_a_time; i++) wait_for_any();
    measure_print(&run);
}
