#include "CArguments.h"

#include <string.h>

// On Linux, Swift's runtime searches /proc/self/maps for the arguments of the process before the program starts, which
// takes longer with more libraries. The C library passes the arguments to each constructor. These two functions have the
// names and the types of the runtime's own, and so replace them at link time.

static char **arguments;
static int argument_count;

__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    arguments = values;
}

/// Returns the arguments and their number.
char **_swift_stdlib_getUnsafeArgvArgc(int *count) {
    *count = argument_count;
    return arguments;
}

/// Replaces the arguments.
void _swift_stdlib_overrideUnsafeArgvArgc(char **values, int count) {
    keep_arguments(count, values);
}

void xcb_hide_values(void) {
    if (argument_count == 0) return;
    // The kernel shows contiguous memory with one argument after the other. The parts that are kept move together.
    char *next = arguments[0] + strlen(arguments[0]) + 1;
    char *end = next;
    for (int i = 1; i < argument_count; i++) {
        char *argument = arguments[i];
        if (argument != end) break;
        end = argument + strlen(argument) + 1;
        size_t kept = strcspn(argument, ":=");
        if (argument[kept] != 0) kept++;
        memmove(next, argument, kept);
        next[kept] = 0;
        arguments[i] = next;
        next += kept + 1;
    }
    explicit_bzero(next, end - next);
}
