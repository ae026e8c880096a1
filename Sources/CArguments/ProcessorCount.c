#ifndef DEBUG

#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

// Dispatch asks twice at every start how many processors are configured, for which the C library reads a file in /sys, and
// then goes by how many the process may use. Release builds are linked with the option '--wrap', by which this function
// takes the place of the C library's, and tells the second number for the first, too. Programs that are built for
// debugging are not linked so.

long __real_sysconf(int name);

long __wrap_sysconf(int name) {
    cpu_set_t usable;
    if (name == _SC_NPROCESSORS_CONF && sched_getaffinity(0, sizeof usable, &usable) == 0) return CPU_COUNT(&usable);
    return __real_sysconf(name);
}

#endif
