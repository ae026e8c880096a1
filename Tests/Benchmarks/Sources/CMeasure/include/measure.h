#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The common part of all load programs: their duration, their measurements, and their output.

enum { MEASURE_PROCESSES = 4, MEASURE_BUCKETS = 34 * 256 };

/// The amount and duration of a load.
struct measure_plan {
    unsigned connections;
    /// The number of requests in flight on each connection.
    unsigned in_flight;
    double warm_up;
    double seconds;
    /// The processes whose processor time per request is reported.
    pid_t processes[MEASURE_PROCESSES];
    size_t process_count;
};

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
    uint64_t processor_time, own_processor_time;
};

/// Reads the options of the plan that is `letter` (c, p, w, t or P), or returns false.
bool measure_plan_read(struct measure_plan *plan, int letter, const char *value);

/// The time of the monotonic clock in nanoseconds.
uint64_t measure_now(void);

/// Runs a program, and returns the nanoseconds from its start to its end, or 0 if it cannot be started or fails.
///
/// `arguments[0]` is its path, `input` the file of its standard input. `output` receives the output that fits: `*length` is
/// the size of the buffer before, and of the output after.
uint64_t measure_program(char *const *arguments, const char *input, char *output, size_t *length);

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
