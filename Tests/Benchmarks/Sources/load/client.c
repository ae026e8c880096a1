#define _GNU_SOURCE
#include "client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void client_open(struct client *client, struct conversation *conversation) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(conversation->socket) >= sizeof address.sun_path) measure_fail("the socket's path is too long");
    strcpy(address.sun_path, conversation->socket);
    client->descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client->descriptor < 0 || connect(client->descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        measure_fail("cannot connect to '%s': %s", conversation->socket, strerror(errno));
    }
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = client };
    if (epoll_ctl(conversation->epoll, EPOLL_CTL_ADD, client->descriptor, &event) != 0) {
        measure_fail("epoll_ctl: %s", strerror(errno));
    }
    client->waiting = client->oldest = 0;
    client->kept_length = 0;
}

/// Waits until everything is sent. The requests in flight fit into a socket's buffers, so the wait is short.
static void send_all(int descriptor, const char *bytes, size_t length) {
    while (length) {
        ssize_t sent = send(descriptor, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) measure_fail("cannot send: %s", strerror(errno));
        if (sent > 0) bytes += sent, length -= (size_t)sent;
    }
}

void client_send(struct client *client, struct conversation *conversation) {
    const struct measure_plan *plan = &conversation->run.plan;
    unsigned count = plan->in_flight - client->waiting;
    if (!count) return;
    uint64_t now = measure_now();
    for (unsigned i = 0; i < count; i++) client->sent[(client->oldest + client->waiting + i) % plan->in_flight] = now;
    client->waiting += count;
    send_all(client->descriptor, conversation->burst, count * conversation->request_length);
}

__attribute__((noreturn)) static void fail_with_reply(const char *bytes, size_t length, const char *expected) {
    measure_fail("wrong reply\n  found:    %.*s\n  expected: %s", (int)(length < 400 ? length : 400), bytes, expected);
}

/// Returns the length of the reply that starts here, or 0 if incomplete. A wrong reply exits the program.
static size_t reply_length(const struct conversation *conversation, const char *bytes, size_t available) {
    size_t length = conversation->reply_length;
    if (memcmp(bytes, conversation->reply, available < length ? available : length) != 0) {
        fail_with_reply(bytes, available, conversation->reply);
    }
    if (available < length) return 0;
    if (!conversation->is_varlink) return length;
    const char *end = memchr(bytes + length, 0, available - length);
    return end ? (size_t)(end - bytes) + 1 : 0;
}

void client_receive(struct client *client, struct conversation *conversation) {
    static char input[256 << 10];
    size_t begin = client->kept_length, at = 0, length;
    memcpy(input, client->kept, begin);
    ssize_t count = recv(client->descriptor, input + begin, sizeof input - begin, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count < 0) measure_fail("cannot receive: %s", strerror(errno));
    if (count == 0) measure_fail("the server has closed a connection with %u requests in flight", client->waiting);
    size_t end = begin + (size_t)count;
    uint64_t now = measure_now();
    while (at < end && (length = reply_length(conversation, input + at, end - at)) > 0) {
        if (!client->waiting) measure_fail("a reply that nobody has asked for");
        measure_reply(&conversation->run, client->sent[client->oldest], now);
        client->oldest = client->oldest + 1 == conversation->run.plan.in_flight ? 0 : client->oldest + 1;
        client->waiting--;
        at += length;
    }
    if (end - at > sizeof client->kept) measure_fail("a reply of more than %zu bytes", sizeof client->kept);
    memcpy(client->kept, input + at, client->kept_length = end - at);
    client_send(client, conversation);
}
