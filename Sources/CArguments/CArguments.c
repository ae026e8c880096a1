#include "CArguments.h"

#include <string.h>

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

void xcb_hide_values(void) {
    if (argument_count == 0) return;
    // The kernel shows one run of bytes, where each argument follows the one before it. What is kept moves together.
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
