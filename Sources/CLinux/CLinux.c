#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int xcb_accept(int listener) {
    return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int xcb_peer_read(int socket, struct xcb_peer *peer) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0) return -1;
    *peer = (struct xcb_peer){credentials.pid, credentials.uid, credentials.gid};
    return 0;
}

// Older headers lack it; the number is the same on all architectures of Debian and Fedora.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

int xcb_peer_handle(int socket) {
    int handle = -1;
    socklen_t length = sizeof handle;
    return getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &handle, &length) < 0 ? -1 : handle;
}

int xcb_peer_groups(int socket, gid_t *groups, int count) {
    socklen_t length = (socklen_t)count * sizeof *groups;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &length) < 0 && errno != ERANGE) return -1;
    return (int)(length / sizeof *groups);
}

int xcb_open_directory(const char *path) {
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

ssize_t xcb_receive(int socket, void *bytes, size_t count) {
    return syscall(SYS_recvfrom, socket, bytes, count, 0, 0, 0);
}

ssize_t xcb_send(int socket, const void *bytes, size_t count) {
    return syscall(SYS_sendto, socket, bytes, count, MSG_NOSIGNAL, 0, 0);
}

_Static_assert(XCB_SPAWN_SETSID == POSIX_SPAWN_SETSID, "the flag of the library");

int xcb_spawn_close_from(posix_spawn_file_actions_t *actions, int from) {
    return posix_spawn_file_actions_addclosefrom_np(actions, from);
}

int xcb_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC) < 0) return -1;
    // Only the reading end: programs do not expect to be told to try again.
    if (fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0) return 0;
    int code = errno;
    close(ends[0]);
    close(ends[1]);
    errno = code;
    return -1;
}

int xcb_memory_file(const char *name) {
    return memfd_create(name, MFD_CLOEXEC);
}
