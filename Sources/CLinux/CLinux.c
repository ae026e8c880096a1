#define _GNU_SOURCE
#include "CLinux.h"

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

ssize_t xcb_receive(int socket, void *bytes, size_t count) {
    return syscall(SYS_recvfrom, socket, bytes, count, 0, 0, 0);
}

ssize_t xcb_send(int socket, const void *bytes, size_t count) {
    return syscall(SYS_sendto, socket, bytes, count, MSG_NOSIGNAL, 0, 0);
}
