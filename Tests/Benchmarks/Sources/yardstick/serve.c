#define _GNU_SOURCE
#include "yardstick.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/// A client. Buffers exist only while there are leftover bytes.
struct connection {
    int descriptor;
    char *input;
    size_t input_length;
    char *output;
    size_t output_length, output_sent;
};

static int epoll;
static char input[LONGEST_LINE * 2], output[LONGEST_LINE * 4];

static void disconnect(struct connection *connection) {
    close(connection->descriptor);
    free(connection->input);
    free(connection->output);
    free(connection);
}

static bool watch(struct connection *connection, int operation, uint32_t events) {
    struct epoll_event event = { .events = events, .data.ptr = connection };
    return epoll_ctl(epoll, operation, connection->descriptor, &event) == 0;
}

/// Sends as much as the socket accepts and keeps the rest; until that is sent, nothing is read.
static bool send_or_keep(struct connection *connection, size_t length) {
    ssize_t sent = send(connection->descriptor, output, length, MSG_NOSIGNAL);
    if (sent == (ssize_t)length) return true;
    if (sent < 0 && errno != EAGAIN) return false;
    size_t from = sent < 0 ? 0 : (size_t)sent;
    connection->output = malloc(length - from);
    if (!connection->output) return false;
    memcpy(connection->output, output + from, connection->output_length = length - from);
    connection->output_sent = 0;
    return watch(connection, EPOLL_CTL_MOD, EPOLLOUT);
}

static bool send_rest(struct connection *connection) {
    ssize_t sent = send(connection->descriptor, connection->output + connection->output_sent,
                        connection->output_length - connection->output_sent, MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN;
    connection->output_sent += (size_t)sent;
    if (connection->output_sent < connection->output_length) return true;
    free(connection->output);
    connection->output = NULL;
    return watch(connection, EPOLL_CTL_MOD, EPOLLIN);
}

/// Keeps the beginning of a line for later.
static bool keep(struct connection *connection, struct text rest) {
    connection->input_length = rest.length;
    if (!rest.length) return true;
    if (!connection->input) connection->input = malloc(LONGEST_LINE);
    if (!connection->input || rest.length >= LONGEST_LINE) return false;
    memcpy(connection->input, rest.bytes, rest.length);
    return true;
}

/// Reads once and answers all whole lines. An answer is hardly longer than its line, so it fits into the output.
static bool read_and_answer(struct connection *connection) {
    size_t kept = connection->input_length, written = 0;
    if (kept) memcpy(input, connection->input, kept);
    ssize_t count = recv(connection->descriptor, input + kept, LONGEST_LINE, 0);
    if (count <= 0) return count < 0 && errno == EAGAIN;
    struct text rest = { input, kept + (size_t)count };
    const char *search = input + kept, *end;
    while ((end = memchr(search, '\n', (size_t)(rest.bytes + rest.length - search)))) {
        struct text line = { rest.bytes, (size_t)(end - rest.bytes) };
        if (sizeof output - written < line.length + 128) return false;
        written += answer(line, output + written);
        output[written++] = '\n';
        rest = (struct text){ end + 1, rest.length - line.length - 1 };
        search = rest.bytes;
    }
    return keep(connection, rest) && (!written || send_or_keep(connection, written));
}

static void accept_one(int listener) {
    int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return;
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection) exit(1);
    connection->descriptor = descriptor;
    if (!watch(connection, EPOLL_CTL_ADD, EPOLLIN)) disconnect(connection);
}

void serve(int listener) {
    epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = NULL };
    if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) != 0) {
        perror("yardstick: epoll");
        exit(1);
    }
    for (;;) {
        struct epoll_event events[256];
        int count = epoll_wait(epoll, events, 256, -1);
        for (int i = 0; i < count; i++) {
            struct connection *connection = events[i].data.ptr;
            if (!connection) accept_one(listener);
            else if (!(connection->output ? send_rest(connection) : read_and_answer(connection))) disconnect(connection);
        }
    }
}
