#define _GNU_SOURCE
#include "CLinux.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

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

int xcb_peer_groups(int socket, gid_t *groups, uint32_t *count) {
    socklen_t length = (socklen_t)(*count * sizeof(gid_t));
    int result = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &length);
    *count = (uint32_t)(length / sizeof(gid_t));
    return result;
}

int xcb_peer_pidfd(int socket) {
    int descriptor = -1;
    socklen_t length = sizeof descriptor;
    return getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &descriptor, &length) < 0 ? -1 : descriptor;
}
