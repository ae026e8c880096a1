#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// Dispatch gives each of its threads the priority that its work requests. If the system refuses a higher priority, which
// only root may set, Dispatch continues without it but logs the refusal each time, and the journal adds the command line of
// the process. This function, which replaces that of the C library at link time, ignores the refusal.

int setpriority(int which, id_t id, int priority) {
    int error = errno;
    syscall(SYS_setpriority, which, id, priority);
    errno = error;
    return 0;
}
