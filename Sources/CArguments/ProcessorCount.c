#ifndef DEBUG

#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

// At every start, Dispatch queries the number of configured processors twice, for which the C library reads a file in /sys,
// and then uses the number of processors that the process may use. Release builds are linked with the option '--wrap', so
// that this function replaces that of the C library, and returns the second number for both. Debug builds are not.

long __real_sysconf(int name);

long __wrap_sysconf(int name) {
    cpu_set_t usable;
    if (name == _SC_NPROCESSORS_CONF && sched_getaffinity(0, sizeof usable, &usable) == 0) return CPU_COUNT(&usable);
    return __real_sysconf(name);
}

#endif
