/// The Linux calls that Swift's Glibc module does not import.
///
/// Most only need a header to be included. Calls that need `_GNU_SOURCE` or a macro have functions here, with the prefix
/// `xcb_`, that return -1 and set `errno` on failure.
#pragma once

#include "Kernel.h"
#include "Notice.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

/// The process at the other end of a Unix socket, as the kernel recorded it when it connected.
struct xcb_peer {
    /// The process ID; 0 if its PID namespace is not visible from here.
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

/// Opens a pidfd of the process at the other end of a Unix socket, even if another process has its ID by now
/// (`SO_PEERPIDFD`, since Linux 6.5).
int xcb_peer_handle(int socket);

/// Reads the supplementary groups that the process at the other end of a Unix socket had when it connected
/// (`SO_PEERGROUPS`).
///
/// Returns the number of groups; if it exceeds `count`, none are read.
int xcb_peer_groups(int socket, gid_t *groups, int count);

/// Opens a directory for look-ups, without calling its file system (`O_PATH`); programs do not inherit the descriptor.
int xcb_open_directory(const char *path);

/// Opens a path for look-ups, below a folder unless that is `AT_FDCWD`: nothing leads out of it, not even a link (`openat2`).
int xcb_open_path(int folder, const char *path);

/// Returns the time since a file was changed, or a folder's entries were, in nanoseconds; negative if the clock was set back.
int64_t xcb_file_age(const char *path);

/// The type of user-space file systems, as reported by `fstatfs`.
#define XCB_FUSE_MAGIC 0x65735546

/// Removes values from the command line that other processes see in `/proc`: in each argument, the part after the first
/// colon or equals sign. The journal adds that command line to each entry of the process, and the arguments of 'xcallback'
/// contain URLs with secrets. The arguments must be the process's own, and must have been copied before.
void xcb_hide_values(char **arguments, int count);

/// The parameters of a program start.
struct xcb_program {
    /// The possible paths of the program, in order; a null pointer ends the list.
    char *const *paths;
    /// The arguments and the environment; a null pointer ends each.
    char *const *arguments;
    char *const *environment;
    /// The working directory; null for that of this process.
    const char *folder;
    /// The standard streams; -1 for `/dev/null`.
    int input, output, errors;
    /// The maximum number of open descriptors.
    rlim_t descriptor_limit;
    /// Whether it leads a process group of its own, or else stays in that of this process.
    int leads_group;
    /// Whether it leads a session of its own, and with it a process group.
    int leads_session;
};
