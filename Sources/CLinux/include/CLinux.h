/// The Linux calls that Swift's Glibc module does not show.
///
/// Including a header is enough for most; what needs `_GNU_SOURCE` or a macro is a function of its own, named `xcb_`,
/// that returns -1 and sets `errno` when it fails.
#pragma once

#include "Kernel.h"

#include <malloc.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
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

/// Opens a file as another user would: the calling thread has that user's rights to files meanwhile, and no other thread.
///
/// Only root can do so, and not everywhere: -2 if the rights could not be taken. `group` is the primary one of `groups`.
int xcb_open_as(const char *path, int flags, uid_t user, gid_t group, const gid_t *groups, size_t count);

/// What tells a file from another one that later has its name.
struct xcb_file {
    uint64_t device;
    uint64_t inode;
};

/// Reads which file a path leads to.
///
/// `flags` is 0, or `AT_SYMLINK_NOFOLLOW` for a link at its end itself.
int xcb_file_read(const char *path, int flags, struct xcb_file *file);

/// How long ago a file was changed, or a folder got or lost a name, in nanoseconds; less than 0 if the clock was set back.
int64_t xcb_file_age(const char *path);

/// The type of the file systems that programs provide, as `fstatfs` tells it.
#define XCB_FUSE_MAGIC 0x65735546

/// Lets a program be started without the descriptors from a number on; an error number, as its kin return.
int xcb_spawn_close_from(posix_spawn_file_actions_t *actions, int from);

/// What a program is started with.
struct xcb_program {
    /// Where it may be, the most likely place first; a null pointer ends the list.
    char *const *paths;
    /// Its arguments and its environment; a null pointer ends each.
    char *const *arguments;
    char *const *environment;
    /// The folder in which it runs; null for that of this process.
    const char *folder;
    /// Its standard streams; -1 for one that goes nowhere.
    int input, output, errors;
    /// How many descriptors it may have at most.
    rlim_t descriptor_limit;
    /// Whether it leads a session of its own, and not only a group of its own.
    int leads_session;
};

/// The flag of `posix_spawnattr_setflags` that makes a session: POSIX_SPAWN_SETSID, which needs `_GNU_SOURCE`.
static const int xcb_spawn_session = 0x80;
