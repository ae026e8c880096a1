#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// Dispatch gives each of its threads the priority that its work asks for. If the system refuses a higher one, which only
// root may set, Dispatch goes on without it, but logs the refusal each time, and the journal adds the command line of the
// process. This function, which replaces the C library's where the program is linked, ignores the refusal.

int setpriority(int which, id_t id, int priority) {
    int error = errno;
    syscall(SYS_setpriority, which, id, priority);
    errno = error;
    return 0;
}
