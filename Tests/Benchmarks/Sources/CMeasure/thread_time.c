#define _GNU_SOURCE
#include "measure.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

int measure_open_thread_time(pid_t thread) {
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attributes,
        .config = PERF_COUNT_SW_TASK_CLOCK,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

uint64_t measure_thread_time(int descriptor) {
    uint64_t time = 0;
    return read(descriptor, &time, sizeof time) == sizeof time ? time : 0;
}
