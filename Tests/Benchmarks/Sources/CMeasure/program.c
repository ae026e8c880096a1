#define _GNU_SOURCE
#include "measure.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/// Starts a program with a file as input and a pipe as output. Returns an error number, or 0.
static int start(pid_t *process, char *const *arguments, const char *input, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    int fault = posix_spawn(process, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return fault;
}

/// Reads until the end, and discards bytes that do not fit. Returns the length of the rest.
static size_t read_all(int descriptor, char *output, size_t room) {
    char rest[4096];
    size_t length = 0;
    for (;;) {
        bool is_full = length == room;
        ssize_t count = read(descriptor, is_full ? rest : output + length, is_full ? sizeof rest : room - length);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return length;
        if (!is_full) length += (size_t)count;
    }
}

uint64_t measure_program(char *const *arguments, const char *input, char *output, size_t *length) {
    int ends[2], status = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) return 0;
    pid_t process;
    uint64_t begun = measure_now();
    int fault = start(&process, arguments, input, ends[1]);
    close(ends[1]);
    if (!fault) *length = read_all(ends[0], output, *length);
    while (!fault && waitpid(process, &status, 0) < 0 && errno == EINTR) {}
    uint64_t time = measure_now() - begun;
    close(ends[0]);
    return !fault && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? time : 0;
}
