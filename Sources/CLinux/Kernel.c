#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int system_accept(int listener) {
    return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

static int system_peer_read(int socket, struct xcb_peer *peer) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0) return -1;
    *peer = (struct xcb_peer){credentials.pid, credentials.uid, credentials.gid};
    return 0;
}

static ssize_t system_receive(int socket, void *bytes, size_t count) {
    return syscall(SYS_recvfrom, socket, bytes, count, 0, 0, 0);
}

// Older headers lack it; the number is the same on all architectures of Debian and Fedora.
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

static int system_refuse_descriptors(int socket) {
    int passes = 0;
    return setsockopt(socket, SOL_SOCKET, SO_PASSRIGHTS, &passes, sizeof passes);
}

static ssize_t system_receive_passed(int socket, void *bytes, size_t count, int *descriptors, int *descriptor_count) {
    union {
        char bytes[CMSG_SPACE(XCB_PASSED_LIMIT * sizeof(int))];
        struct cmsghdr header;
    } control;
    struct iovec part = {bytes, count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    *descriptor_count = 0;
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (received < 0) return received;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        *descriptor_count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(descriptors, CMSG_DATA(header), *descriptor_count * sizeof(int));
    }
    return received;
}

static ssize_t system_send(int socket, const void *bytes, size_t count) {
    return syscall(SYS_sendto, socket, bytes, count, MSG_NOSIGNAL, 0, 0);
}

/// Makes a descriptor a standard stream of the program; without one, the stream is empty, or is discarded.
static int become_stream(int descriptor, int stream) {
    if (descriptor == stream) return fcntl(stream, F_SETFD, 0);
    if (descriptor >= 0) return dup2(descriptor, stream);
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere < 0 || nowhere == stream) return nowhere;
    int result = dup2(nowhere, stream);
    close(nowhere);
    return result;
}

/// Turns this process into the program; returns an error number on failure.
///
/// It shares memory with its parent, whose other threads continue to run: it calls only async-signal-safe functions.
static int become(const struct xcb_program *program) {
    struct sigaction action;
    for (int number = 1; number < NSIG; number++) {
        // Two signals are reserved by the C library and not visible; execve resets any handler that is left.
        if (sigaction(number, NULL, &action) < 0 || action.sa_handler == SIG_DFL) continue;
        action = (struct sigaction){.sa_handler = SIG_DFL};
        sigaction(number, &action, NULL);
    }
    if (program->leads_session) {
        // It can outlive the reader of its output, and then gets an error, as a service of systemd does.
        signal(SIGPIPE, SIG_IGN);
        if (setsid() < 0) return errno;
    }
    if (program->leads_group && setpgid(0, 0) < 0) return errno;
    if (become_stream(program->input, STDIN_FILENO) < 0 || become_stream(program->output, STDOUT_FILENO) < 0 ||
        become_stream(program->errors, STDERR_FILENO) < 0)
        return errno;
    closefrom(STDERR_FILENO + 1);
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return errno;
    if (limit.rlim_cur > program->descriptor_limit) {
        limit.rlim_cur = program->descriptor_limit;
        if (setrlimit(RLIMIT_NOFILE, &limit) < 0) return errno;
    }
    if (program->folder && chdir(program->folder) < 0) return errno;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int fault = ENOENT;
    for (char *const *path = program->paths; *path; path++) {
        execve(*path, program->arguments, program->environment);
        // The program may be at the next path; a missing permission is a better error than a missing file.
        if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) return errno;
        if (errno == EACCES) fault = EACCES;
    }
    return fault;
}

/// A start, in the memory that the child shares.
struct start {
    const struct xcb_program *program;
    int fault;
};

static int begin(void *memory) {
    struct start *start = memory;
    start->fault = become(start->program);
    _exit(127);
}

static pid_t system_spawn(const struct xcb_program *program, int *handle) {
    sigset_t all, before;
    sigfillset(&all);
    // No signal handler of this process may run in the child.
    pthread_sigmask(SIG_BLOCK, &all, &before);
    // This thread waits until the child has left its memory: it lends the child a part of its stack. Unlike vfork, this call
    // makes the pidfd before there is a process, so that none runs without one.
    _Alignas(16) char stack[32768];
    struct start start = {program, 0};
    pid_t process = clone(begin, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &start, handle);
    int code = process < 0 ? errno : start.fault;
    if (process > 0 && code) {
        while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {}
        close(*handle);
        process = -1;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (process < 0) errno = code;
    return process;
}

static int system_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC) < 0) return -1;
    // Only the read end: programs do not expect EAGAIN.
    if (fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0) return 0;
    int code = errno;
    close(ends[0]);
    close(ends[1]);
    errno = code;
    return -1;
}

static int system_memory_file(const char *name) {
    return memfd_create(name, MFD_CLOEXEC);
}

static int system_start_thread(void *(*run)(void *work), void *work) {
    sigset_t all, before;
    sigfillset(&all);
    // A thread takes over the mask of the thread that starts it, and no signal of the process is meant for it.
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_t thread;
    int code = pthread_create(&thread, NULL, run, work);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code == 0) pthread_detach(thread);
    return code;
}

static void system_finish_work(void) {}

struct xcb_kernel xcb_kernel = {
    .epoll_create1 = epoll_create1,
    .epoll_ctl = epoll_ctl,
    .epoll_wait = epoll_wait,
    .poll = poll,
    .signalfd = signalfd,
    .eventfd = eventfd,
    .clock_gettime = clock_gettime,
    .timerfd_create = timerfd_create,
    .timerfd_settime = timerfd_settime,
    .accept = system_accept,
    .refuse_descriptors = system_refuse_descriptors,
    .peer_read = system_peer_read,
    .receive = system_receive,
    .receive_passed = system_receive_passed,
    .send = system_send,
    .shutdown = shutdown,
    .memory_file = system_memory_file,
    .pipe = system_pipe,
    .spawn = system_spawn,
    .waitid = waitid,
    .kill = kill,
    .read = read,
    .write = write,
    .pwrite = pwrite,
    .close = close,
    .getpid = getpid,
    .getrandom = getrandom,
    .start_thread = system_start_thread,
    .thread_idle_time = 1000,
    .finish_work = system_finish_work,
};

struct xcb_kernel xcb_current_kernel(void) {
    return xcb_kernel;
}

void xcb_replace_kernel(const struct xcb_kernel *kernel) {
    xcb_kernel = *kernel;
}
