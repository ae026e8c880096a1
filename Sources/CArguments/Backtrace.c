// Each Swift program prepares to print a backtrace when it crashes: at every start it looks in seven places for the program
// that does so. That program belongs to the compiler, and is not installed with these programs. The definitions here keep
// the preparation out, because the linker takes nothing from an archive that is already defined.
//
// Debug builds keep it.
#ifndef DEBUG

#include <stdbool.h>

/// The settings, where zero means off.
__attribute__((weak)) int _swift_backtraceSettings[32];

/// Whether a function is a thunk, which a backtrace can omit.
__attribute__((weak)) bool _swift_backtrace_isThunkFunction(const char *name) {
    (void)name;
    return false;
}

#endif
