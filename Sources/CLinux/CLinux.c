#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

int xcb_open_path(int folder, const char *path) {
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
    if (folder != AT_FDCWD) how.resolve |= RESOLVE_BENEATH;
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

int64_t xcb_file_age(const char *path) {
    struct stat status;
    struct timespec now;
    if (stat(path, &status) < 0 || clock_gettime(CLOCK_REALTIME, &now) < 0) return -1;
    return (int64_t)(now.tv_sec - status.st_mtim.tv_sec) * 1000000000 + now.tv_nsec - status.st_mtim.tv_nsec;
}

void xcb_hide_values(char **arguments, int count) {
    if (count == 0) return;
    // The kernel shows contiguous memory with one argument after the other. The parts that are kept move together.
    char *next = arguments[0] + strlen(arguments[0]) + 1;
    char *end = next;
    for (int i = 1; i < count; i++) {
        char *argument = arguments[i];
        if (argument != end) break;
        end = argument + strlen(argument) + 1;
        size_t kept = strcspn(argument, ":=");
        if (argument[kept] != 0) kept++;
        memmove(next, argument, kept);
        next[kept] = 0;
        arguments[i] = next;
        next += kept + 1;
    }
    explicit_bzero(next, end - next);
}
