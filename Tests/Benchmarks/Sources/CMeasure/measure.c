#define _GNU_SOURCE
#include "measure.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const uint64_t second = 1000000000;

int measure_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC);
}

int measure_instructions(int process) {
    struct perf_event_attr event = {
        .type = PERF_TYPE_HARDWARE, .size = sizeof event, .config = PERF_COUNT_HW_INSTRUCTIONS,
        .exclude_kernel = 1, .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &event, process, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

uint64_t measure_now(void) {
    struct timespec time = { 0 };
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec;
}

void measure_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

void measure_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

void measure_read_options(int count, char **texts, struct measure_plan *plan) {
    static const struct option names[] = {
        { "socket", required_argument, NULL, 's' },
        { "request", required_argument, NULL, 'r' },
        { "reply", required_argument, NULL, 'e' },
        { "varlink", no_argument, NULL, 'V' },
        { "connections", required_argument, NULL, 'c' },
        { "in-flight", required_argument, NULL, 'p' },
        { "warm-up", required_argument, NULL, 'w' },
        { "seconds", required_argument, NULL, 't' },
        { 0 },
    };
    *plan = (struct measure_plan){ .connections = 1, .in_flight = 1, .seconds = 1 };
    for (int letter; (letter = getopt_long(count, texts, "", names, NULL)) != -1;) {
        switch (letter) {
        case 's': plan->socket = optarg; break;
        case 'r': plan->request = optarg; break;
        case 'e': plan->reply = optarg; break;
        case 'V': plan->is_varlink = true; break;
        case 'c': plan->connections = (unsigned)atoi(optarg); break;
        case 'p': plan->in_flight = (unsigned)atoi(optarg); break;
        case 'w': plan->warm_up = atof(optarg); break;
        case 't': plan->seconds = atof(optarg); break;
        default: exit(64);
        }
    }
    if (!plan->socket || !plan->request || !plan->reply || optind < count || !plan->connections || !plan->in_flight) {
        measure_fail("the options are described at the top of the source of 'load'");
    }
}

/// Ends the warm-up.
static void count_from(struct measure_run *run, uint64_t now) {
    memset(&run->latencies, 0, sizeof run->latencies);
    run->warmed_up = now;
}

void measure_begin(struct measure_run *run) {
    run->started = run->last_reply = measure_now();
    run->warmed_up = run->ended = 0;
    if (run->plan.warm_up <= 0) count_from(run, run->started);
}

void measure_reply(struct measure_run *run, uint64_t sent, uint64_t now) {
    uint64_t latency = now - sent;
    run->last_reply = now;
    run->latencies.count++;
    // Each value below 512 has its own bucket; above, each power of two has 256.
    unsigned shift = latency < 512 ? 0 : 55 - (unsigned)__builtin_clzll(latency);
    uint64_t bucket = (uint64_t)shift * 256 + (latency >> shift);
    run->latencies.buckets[bucket < MEASURE_BUCKETS ? bucket : MEASURE_BUCKETS - 1]++;
}

/// Returns the latency that a share of the replies did not exceed, in microseconds.
static double quantile(const struct measure_histogram *latencies, double share) {
    uint64_t rank = (uint64_t)(share * (double)latencies->count + 0.999999), seen = 0;
    for (uint64_t i = 0; i < MEASURE_BUCKETS; i++) {
        seen += latencies->buckets[i];
        if (seen < rank || !seen) continue;
        unsigned shift = i < 512 ? 0 : (unsigned)(i / 256 - 1);
        return ((double)((i - shift * 256ull) << shift) + (double)((1ull << shift) - 1) / 2) / 1e3;
    }
    return 0;
}

bool measure_is_over(struct measure_run *run, uint64_t now) {
    const struct measure_plan *plan = &run->plan;
    if (!run->warmed_up) {
        if (now - run->started >= (uint64_t)(plan->warm_up * 1e9)) count_from(run, now);
    } else if (now - run->warmed_up >= (uint64_t)(plan->seconds * 1e9)) {
        run->ended = now;
        return true;
    }
    if (now > run->last_reply && now - run->last_reply > 10 * second) measure_fail("no reply for ten seconds");
    return false;
}

void measure_print(const struct measure_run *run) {
    const struct measure_histogram *latencies = &run->latencies;
    double elapsed = (double)(run->ended - run->warmed_up);
    if (!latencies->count) measure_fail("no reply in %.1f s", elapsed / 1e9);
    printf("{\"rate\":%.1f,\"p50\":%.2f,\"p99\":%.2f}\n", (double)latencies->count / elapsed * 1e9,
           quantile(latencies, 0.5), quantile(latencies, 0.99));
    fflush(stdout);
}
