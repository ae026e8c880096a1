/// The system calls of the daemon, in one table.
///
/// The event loop, and all objects on it, access the outside of the process only through these calls. A simulator
/// replaces the table with functions of its own before anything else happens: then it determines the result of each call,
/// the time, and the order of events, and the code above does not notice.
#pragma once

#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>

struct pollfd;
struct xcb_peer;
struct xcb_program;

/// Each member has the semantics of the libc function with its name, or of the function in this module.
struct __attribute__((swift_name("Kernel"))) xcb_kernel {
    // Waiting.
    int (*epoll_create1)(int flags);
    int (*epoll_ctl)(int set, int operation, int descriptor, struct epoll_event *event);
    int (*epoll_wait)(int set, struct epoll_event *events, int limit, int milliseconds);
    int (*poll)(struct pollfd *members, unsigned long count, int milliseconds);
    int (*signalfd)(int descriptor, const sigset_t *signals, int flags);
    int (*eventfd)(unsigned int value, int flags);

    // Time.
    int (*clock_gettime)(clockid_t clock, struct timespec *time);
    int (*timerfd_create)(clockid_t clock, int flags);
    int (*timerfd_settime)(int timer, int flags, const struct itimerspec *setting, struct itimerspec *old);

    // Connections.
    int (*accept)(int listener);
    int (*refuse_descriptors)(int socket);
    int (*peer_read)(int socket, struct xcb_peer *peer);
    ssize_t (*receive)(int socket, void *bytes, size_t count);
    ssize_t (*receive_passed)(int socket, void *bytes, size_t count, int *descriptors, int *descriptor_count);
    ssize_t (*send)(int socket, const void *bytes, size_t count);
    int (*shutdown)(int socket, int how);

    // Programs.
    int (*memory_file)(const char *name);
    int (*pipe)(int ends[2]);
    pid_t (*spawn)(const struct xcb_program *program, int *handle);
    int (*waitid)(idtype_t kind, id_t process, siginfo_t *information, int options);
    int (*kill)(pid_t process, int signal);

    // Files, and calls for all descriptors.
    ssize_t (*read)(int descriptor, void *bytes, size_t count);
    ssize_t (*write)(int descriptor, const void *bytes, size_t count);
    ssize_t (*pwrite)(int descriptor, const void *bytes, size_t count, off_t position);
    int (*close)(int descriptor);

    // Other.
    pid_t (*getpid)(void);
    ssize_t (*getrandom)(void *bytes, size_t count, unsigned int flags);
    /// Starts a detached thread that calls `run` with `work`; returns an error number, 0 if none.
    int (*start_thread)(void *(*run)(void *work), void *work);
    /// How long a thread that starts programs waits for more of them, in milliseconds.
    int thread_idle_time;
    /// Lets the threads come to the end of their work, because a caller is about to wait for it; does nothing by default.
    void (*finish_work)(void);
};

/// The table, used only by the functions in this file.
extern struct xcb_kernel xcb_kernel __attribute__((visibility("hidden")));

/// Returns the current table; at first that of the system's own calls.
struct xcb_kernel xcb_current_kernel(void);

/// Replaces the table; call it while there is only one thread.
void xcb_replace_kernel(const struct xcb_kernel *kernel);

static inline int xcb_epoll_create(int flags) { return xcb_kernel.epoll_create1(flags); }

static inline int xcb_epoll_control(int set, int operation, int descriptor, struct epoll_event *event) {
    return xcb_kernel.epoll_ctl(set, operation, descriptor, event);
}

static inline int xcb_epoll_wait(int set, struct epoll_event *events, int limit, int milliseconds) {
    return xcb_kernel.epoll_wait(set, events, limit, milliseconds);
}

static inline int xcb_poll(struct pollfd *members, unsigned long count, int milliseconds) {
    return xcb_kernel.poll(members, count, milliseconds);
}

static inline int xcb_signals(const sigset_t *signals, int flags) { return xcb_kernel.signalfd(-1, signals, flags); }

static inline int xcb_counter(int flags) { return xcb_kernel.eventfd(0, flags); }

static inline int xcb_time(clockid_t clock, struct timespec *time) { return xcb_kernel.clock_gettime(clock, time); }

static inline int xcb_timer(clockid_t clock, int flags) { return xcb_kernel.timerfd_create(clock, flags); }

static inline int xcb_timer_set(int timer, int flags, const struct itimerspec *setting) {
    return xcb_kernel.timerfd_settime(timer, flags, setting, 0);
}

/// Accepts a connection as a non-blocking descriptor that programs do not inherit.
static inline int xcb_accept(int listener) { return xcb_kernel.accept(listener); }

/// Makes the kernel reject descriptors passed over a socket and over the connections that it accepts (`SO_PASSRIGHTS`,
/// since Linux 6.16).
static inline int xcb_refuse_descriptors(int socket) { return xcb_kernel.refuse_descriptors(socket); }

/// Reads the credentials of the process at the other end of a Unix socket (`SO_PEERCRED`).
static inline int xcb_peer_read(int socket, struct xcb_peer *peer) { return xcb_kernel.peer_read(socket, peer); }

/// Receives bytes like `recv`, but is not a cancellation point: no thread here is cancelled, and a cancellation point costs
/// two atomic operations per call.
static inline ssize_t xcb_receive(int socket, void *bytes, size_t count) {
    return xcb_kernel.receive(socket, bytes, count);
}

/// The maximum number of descriptors in a message (SCM_MAX_FD).
#define XCB_PASSED_LIMIT 253

/// Receives bytes and the descriptors passed with them, which are closed on exec.
static inline ssize_t xcb_receive_passed(
    int socket, void *bytes, size_t count, int *descriptors, int *descriptor_count) {
    return xcb_kernel.receive_passed(socket, bytes, count, descriptors, descriptor_count);
}

/// Sends bytes like `send` with `MSG_NOSIGNAL`, but is not a cancellation point.
static inline ssize_t xcb_send(int socket, const void *bytes, size_t count) {
    return xcb_kernel.send(socket, bytes, count);
}

static inline int xcb_shutdown(int socket, int how) { return xcb_kernel.shutdown(socket, how); }

/// Creates an in-memory file that programs do not inherit.
static inline int xcb_memory_file(const char *name) { return xcb_kernel.memory_file(name); }

/// Creates a pipe that programs do not inherit: `ends[0]` is the nonblocking read end, `ends[1]` the write end.
static inline int xcb_pipe(int ends[2]) { return xcb_kernel.pipe(ends); }

/// Starts a program as a child, with no signal blocked and no descriptors but its standard streams; one that leads a session
/// ignores SIGPIPE, and no other one ignores a signal.
///
/// It returns the process ID once the program runs, and a pidfd in `handle`; or -1 if it cannot be started, and then no
/// process is left. It works like `posix_spawn`, which cannot set resource limits: those of this process apply to all its
/// threads and are inherited.
static inline pid_t xcb_spawn(const struct xcb_program *program, int *handle) {
    return xcb_kernel.spawn(program, handle);
}

/// Waits for the end of a process, and reaps it.
static inline int xcb_process_wait(idtype_t kind, id_t process, siginfo_t *information) {
    return xcb_kernel.waitid(kind, process, information, WEXITED);
}

static inline int xcb_kill(pid_t process, int signal) { return xcb_kernel.kill(process, signal); }

static inline ssize_t xcb_read(int descriptor, void *bytes, size_t count) {
    return xcb_kernel.read(descriptor, bytes, count);
}

static inline ssize_t xcb_write(int descriptor, const void *bytes, size_t count) {
    return xcb_kernel.write(descriptor, bytes, count);
}

static inline ssize_t xcb_write_at(int descriptor, const void *bytes, size_t count, off_t position) {
    return xcb_kernel.pwrite(descriptor, bytes, count, position);
}

static inline int xcb_close(int descriptor) { return xcb_kernel.close(descriptor); }

static inline pid_t xcb_process_id(void) { return xcb_kernel.getpid(); }

static inline ssize_t xcb_random(void *bytes, size_t count) { return xcb_kernel.getrandom(bytes, count, 0); }

/// Starts a detached thread; returns an error number, 0 if none.
static inline int xcb_start_thread(void *(*run)(void *work), void *work) { return xcb_kernel.start_thread(run, work); }

static inline int xcb_thread_idle_time(void) { return xcb_kernel.thread_idle_time; }

static inline void xcb_finish_work(void) { xcb_kernel.finish_work(); }
