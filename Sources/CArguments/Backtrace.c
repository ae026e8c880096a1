// Each Swift program prepares for printing the stack when it crashes: at every start it looks for the program that does so,
// in seven places. That program belongs to the compiler, and is not installed with these. What is defined here keeps the
// preparation away, as the linker takes nothing from an archive that it has already.
//
// Programs that are built for debugging have it.
#ifndef DEBUG

#include <stdbool.h>

/// The settings, in which zero is off.
__attribute__((weak)) int _swift_backtraceSettings[32];

/// Whether a function of this name only calls another one, which the stack need not show.
__attribute__((weak)) bool _swift_backtrace_isThunkFunction(const char *name) {
    (void)name;
    return false;
}

#endif
