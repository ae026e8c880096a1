#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// What all programs that load a server share: how long they run, what they count, and how they tell it.

enum { MEASURE_PROCESSES = 4, MEASURE_BUCKETS = 34 * 256 };

/// How much load there is, and for how long.
struct measure_plan {
    unsigned connections;
    /// Requests that each connection has in flight.
    unsigned in_flight;
    double warm_up;
    double seconds;
    /// How many replies to measure, instead of how many seconds; or 0.
    uint64_t count;
    /// The processes whose processor time is told per request.
    pid_t processes[MEASURE_PROCESSES];
    size_t process_count;
};

/// Latencies in nanoseconds, each known to 0.4 per cent.
struct measure_histogram {
    uint64_t buckets[MEASURE_BUCKETS];
    uint64_t count;
};

/// A measurement that goes on.
struct measure_run {
    struct measure_plan plan;
    struct measure_histogram latencies;
    uint64_t started, warmed_up, ended, last_reply;
    uint64_t processor_time, own_processor_time;
};

/// Reads the options of the plan that is `letter` (c, p, w, t, n or P), or returns false.
bool measure_plan_read(struct measure_plan *plan, int letter, const char *value);

/// The time of the monotonic clock in nanoseconds.
uint64_t measure_now(void);

/// Opens the processor time of a thread of any process, or returns -1. Only root can always do it.
///
/// It is a counter of `perf_event_open(2)`: what `/proc` tells of a thread that runs is late by up to a tick of the
/// kernel, which is 4 ms.
int measure_open_thread_time(pid_t thread);

/// The processor time of a thread since it was opened, in nanoseconds.
uint64_t measure_thread_time(int descriptor);

/// Runs a program, and returns the nanoseconds from its start to its end, or 0 if it cannot start or fails.
///
/// `arguments[0]` is its path, `input` the file that it reads. `output` gets what it writes, as far as there is room:
/// `*length` is the size of the room before, and of the output after.
uint64_t measure_program(char *const *arguments, const char *input, char *output, size_t *length);

/// Begins a run; without a warm-up, what comes now counts.
void measure_begin(struct measure_run *run);

/// Counts a reply that came now to a request that was sent earlier.
void measure_reply(struct measure_run *run, uint64_t sent, uint64_t now);

/// Tells whether the run is over, and ends it. Ends the program when nothing was answered for ten seconds.
bool measure_is_over(struct measure_run *run, uint64_t now);

/// Writes the outcome to standard output as one line of JSON.
void measure_print(const struct measure_run *run);

/// Ends the program with status 1 and a message.
__attribute__((noreturn, format(printf, 1, 2))) void measure_fail(const char *format, ...);

/// Allows the program as many descriptors as the system lets it have.
void measure_raise_descriptor_limit(void);
