#pragma once

#include <stdbool.h>
#include <stdint.h>
// Swift's Glibc lacks it.
#include <sys/epoll.h>

/// The common part of all load programs: their options, their measurements, and their output.

/// The options of a load.
struct measure_plan {
    /// The server's socket, the text of a request, and that of the right reply.
    const char *socket, *request, *reply;
    bool is_varlink;
    unsigned connections;
    /// The number of requests in flight on each connection.
    unsigned in_flight;
    double warm_up;
    double seconds;
};

enum { MEASURE_BUCKETS = 34 * 256 };

/// Latencies in nanoseconds, each with a precision of 0.4 per cent.
struct measure_histogram {
    uint64_t buckets[MEASURE_BUCKETS];
    uint64_t count;
};

/// A measurement in progress.
struct measure_run {
    struct measure_plan plan;
    struct measure_histogram latencies;
    uint64_t started, warmed_up, ended, last_reply;
};

/// Reads the options, which are described in `load`. Exits the program if they are wrong.
void measure_read_options(int count, char **texts, struct measure_plan *plan);

/// Creates a pipe that programs do not inherit by accident; Swift's Glibc lacks pipe2(2).
int measure_pipe(int ends[2]);

/// Opens a counter of the instructions in user space of a process's first thread; -1 where the machine has none.
int measure_instructions(int process);

/// The time of the monotonic clock in nanoseconds.
uint64_t measure_now(void);

/// Starts a run; without a warm-up, all further replies count.
void measure_begin(struct measure_run *run);

/// Counts a reply that arrived now for a request that was sent earlier.
void measure_reply(struct measure_run *run, uint64_t sent, uint64_t now);

/// Returns whether the run is over, and finishes it. Exits the program after ten seconds without a reply.
bool measure_is_over(struct measure_run *run, uint64_t now);

/// Writes the results to standard output as one line of JSON.
void measure_print(const struct measure_run *run);

/// Exits the program with status 1 and a message.
__attribute__((noreturn, format(printf, 1, 2))) void measure_fail(const char *format, ...);

/// Raises the descriptor limit to the maximum.
void measure_raise_descriptor_limit(void);
