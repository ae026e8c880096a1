/// The Linux calls that Swift's Glibc module does not show.
///
/// Including a header is enough for most; what needs `_GNU_SOURCE` or a macro is a function of its own, named `xcb_`,
/// that returns -1 and sets `errno` when it fails.
#pragma once

#include <malloc.h>
#include <spawn.h>
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

/// The process at the other end of a Unix socket, as the kernel noted it when it connected.
struct xcb_peer {
    /// Its process id; 0 if it lives in a process namespace that cannot be seen from here.
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

/// Accepts a connection as a non-blocking descriptor that programs do not inherit.
int xcb_accept(int listener);

/// Reads who is at the other end of a Unix socket (`SO_PEERCRED`).
int xcb_peer_read(int socket, struct xcb_peer *peer);

/// Opens a pidfd of the process at the other end of a Unix socket, even if its number belongs to another one by now
/// (`SO_PEERPIDFD`, since Linux 6.5).
int xcb_peer_handle(int socket);

/// Reads the supplementary groups that the process at the other end of a Unix socket had when it connected
/// (`SO_PEERGROUPS`).
///
/// Returns how many there are; if there are more than `count`, none is read.
int xcb_peer_groups(int socket, gid_t *groups, int count);

/// Opens a directory to look files up in it, without a call to its file system (`O_PATH`); programs do not inherit it.
int xcb_open_directory(const char *path);

/// Opens what a name in a directory stands for, without its content (`O_PATH`) and without following a link; programs
/// do not inherit it.
///
/// `flags` is 0, or `O_DIRECTORY` for a directory only.
int xcb_look_up(int directory, const char *name, int flags);

/// The type of the file systems that programs provide, as `fstatfs` tells it.
#define XCB_FUSE_MAGIC 0x65735546

/// Receives what a socket has, as `recv` does, but is no cancellation point of pthreads: no thread here is cancelled, and
/// being one costs two atomic operations a call.
ssize_t xcb_receive(int socket, void *bytes, size_t count);

/// Lets the kernel refuse descriptors that others pass over a socket, and over those that it accepts (`SO_PASSRIGHTS`,
/// since Linux 6.16).
int xcb_refuse_descriptors(int socket);

/// How many descriptors come with a message at most (SCM_MAX_FD).
#define XCB_PASSED_LIMIT 253

/// Receives bytes, and the descriptors that were passed with them, which are closed on exec.
ssize_t xcb_receive_passed(int socket, void *bytes, size_t count, int *descriptors, int *descriptor_count);

/// Sends bytes, as `send` with `MSG_NOSIGNAL` does, but is no cancellation point of pthreads.
ssize_t xcb_send(int socket, const void *bytes, size_t count);

/// Lets a program be started without the descriptors from a number on; an error number, as its kin return.
int xcb_spawn_close_from(posix_spawn_file_actions_t *actions, int from);

/// What a program is started with.
struct xcb_program {
    /// Where it may be, the most likely place first; a null pointer ends the list.
    char *const *paths;
    /// Its arguments and its environment; a null pointer ends each.
    char *const *arguments;
    char *const *environment;
    /// Its standard streams; -1 for one that goes nowhere.
    int input, output, errors;
    /// How many descriptors it may have at most.
    rlim_t descriptor_limit;
    /// Whether it leads a session of its own, and not only a group of its own.
    int leads_session;
};

/// Starts a program as a child, with no signal blocked or ignored and no descriptors but its standard streams.
///
/// It returns once the program runs, or with -1 if it cannot be; no process is left then. It does what `posix_spawn`
/// does, which knows no limits: those of this process, which the program would inherit, hold for all of its threads.
pid_t xcb_spawn(const struct xcb_program *program);

/// Makes a pipe whose ends programs do not inherit: `ends[0]` to read, which does not block, and `ends[1]` to write.
int xcb_pipe(int ends[2]);

/// Makes a file that is only in memory and that programs do not inherit.
int xcb_memory_file(const char *name);
