/// The Linux calls that Swift's Glibc module does not show.
///
/// Including a header is enough for most; what needs `_GNU_SOURCE` or a macro is a function of its own, named `xcb_`,
/// that returns -1 and sets `errno` when it fails.
#pragma once

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/un.h>

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

/// Reads the supplementary groups of the other end of a Unix socket (`SO_PEERGROUPS`).
///
/// `count` holds the room in `groups` and becomes the number of groups; if that was too little, the call fails with
/// `ERANGE` and `count` says how many there are.
int xcb_peer_groups(int socket, gid_t *groups, uint32_t *count);

/// Opens a descriptor of the process at the other end (`SO_PEERPIDFD`, Linux 6.5); -1 where the kernel has none.
int xcb_peer_pidfd(int socket);

/// Sets the user that owns the pointer of an epoll event to a plain number.
static inline void xcb_event_set(struct epoll_event *event, uint32_t events, uint64_t data) {
    event->events = events;
    event->data.u64 = data;
}

/// The number that was registered with an epoll event.
static inline uint64_t xcb_event_data(const struct epoll_event *event) { return event->data.u64; }
