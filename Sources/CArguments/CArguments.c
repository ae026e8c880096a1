#include "CArguments.h"

// On Linux, Swift's runtime looks for the arguments of the process in /proc/self/maps before the program starts, which
// takes longer the more libraries there are. The C library hands them to each constructor. These two functions have the
// names and the types of the runtime's own, and so take their place where the program is linked.

static char **arguments;
static int argument_count;

__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    arguments = values;
}

/// The arguments, and how many there are.
char **_swift_stdlib_getUnsafeArgvArgc(int *count) {
    *count = argument_count;
    return arguments;
}

/// Puts others in their place.
void _swift_stdlib_overrideUnsafeArgvArgc(char **values, int count) {
    keep_arguments(count, values);
}
