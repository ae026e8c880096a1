/// Loads a server on a Unix stream socket and checks every reply.
///
///     load --socket PATH --request TEXT --reply TEXT [OPTION…]
///
/// Each connection has a number of requests in flight; each reply triggers the next request. The latency of a request runs
/// from before the call that sent it to after the call that returned its reply.
///
///     --socket PATH       the server's socket
///     --request TEXT      the bytes of a request, with the line ending
///     --reply TEXT        the bytes of each reply, with the line ending; with --varlink the beginning
///     --varlink           requests and replies are Varlink messages, each of which ends with a zero byte
///     --connections N     the number of connections (1)
///     --in-flight N       the number of requests in flight on each connection (1)
///     --warm-up SECONDS   the unmeasured time at the beginning (0)
///     --seconds SECONDS   the time to measure (1)
///
/// Writes a line of JSON: rate (requests per second), p50 and p99 (microseconds). Exits with 0 if all replies were right, and
/// otherwise with 1.
#define _GNU_SOURCE
#include <errno.h>
#include <measure.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/// A connection and its requests.
struct client {
    int descriptor;
    unsigned waiting, oldest;
    /// The send times of the requests in flight, as a ring.
    uint64_t *sent;
    /// The beginning of an incomplete reply.
    char kept[1024];
    size_t kept_length;
};

static struct measure_run run;
static const struct measure_plan *const plan = &run.plan;
static size_t request_length, reply_length;
/// As many requests as may be in flight on a connection.
static char *burst;
static int epoll;

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) measure_fail("out of memory");
    return memory;
}

static void open_client(struct client *client) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(plan->socket) >= sizeof address.sun_path) measure_fail("the socket's path is too long");
    strcpy(address.sun_path, plan->socket);
    client->sent = allocate(plan->in_flight, sizeof *client->sent);
    client->descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client->descriptor < 0 || connect(client->descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        measure_fail("cannot connect to '%s': %s", plan->socket, strerror(errno));
    }
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = client };
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, client->descriptor, &event) != 0) measure_fail("epoll_ctl: %s", strerror(errno));
}

/// Waits until everything is sent. The requests in flight fit into a socket's buffers, so the wait is short.
static void send_all(int descriptor, const char *bytes, size_t length) {
    while (length) {
        ssize_t sent = send(descriptor, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) measure_fail("cannot send: %s", strerror(errno));
        if (sent > 0) bytes += sent, length -= (size_t)sent;
    }
}

/// Sends as many requests as may be in flight.
static void send_requests(struct client *client) {
    unsigned count = plan->in_flight - client->waiting;
    if (!count) return;
    uint64_t now = measure_now();
    for (unsigned i = 0; i < count; i++) client->sent[(client->oldest + client->waiting + i) % plan->in_flight] = now;
    client->waiting += count;
    send_all(client->descriptor, burst, count * request_length);
}

/// Returns the length of the reply that starts here, or 0 if incomplete. A wrong reply exits the program.
static size_t length_of_reply(const char *bytes, size_t available) {
    if (memcmp(bytes, plan->reply, available < reply_length ? available : reply_length) != 0) {
        int shown = (int)(available < 400 ? available : 400);
        measure_fail("wrong reply\n  found:    %.*s\n  expected: %s", shown, bytes, plan->reply);
    }
    if (available < reply_length) return 0;
    if (!plan->is_varlink) return reply_length;
    const char *end = memchr(bytes + reply_length, 0, available - reply_length);
    return end ? (size_t)(end - bytes) + 1 : 0;
}

/// Reads the available replies, checks and counts them, and sends the next requests.
static void receive(struct client *client) {
    static char input[256 << 10];
    size_t begin = client->kept_length, at = 0, length;
    memcpy(input, client->kept, begin);
    ssize_t count = recv(client->descriptor, input + begin, sizeof input - begin, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count < 0) measure_fail("cannot receive: %s", strerror(errno));
    if (count == 0) measure_fail("the server has closed a connection with %u requests in flight", client->waiting);
    size_t end = begin + (size_t)count;
    uint64_t now = measure_now();
    while (at < end && (length = length_of_reply(input + at, end - at)) > 0) {
        if (!client->waiting) measure_fail("a reply that nobody has asked for");
        measure_reply(&run, client->sent[client->oldest], now);
        client->oldest = client->oldest + 1 == plan->in_flight ? 0 : client->oldest + 1;
        client->waiting--;
        at += length;
    }
    if (end - at > sizeof client->kept) measure_fail("a reply of more than %zu bytes", sizeof client->kept);
    memcpy(client->kept, input + at, client->kept_length = end - at);
    send_requests(client);
}

int main(int count, char **texts) {
    measure_read_options(count, texts, &run.plan);
    measure_raise_descriptor_limit();
    reply_length = strlen(plan->reply);
    request_length = strlen(plan->request) + plan->is_varlink;
    burst = allocate(plan->in_flight, request_length);
    for (unsigned i = 0; i < plan->in_flight; i++) memcpy(burst + i * request_length, plan->request, request_length);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    struct client *clients = allocate(plan->connections, sizeof *clients);
    for (unsigned i = 0; i < plan->connections; i++) open_client(&clients[i]);
    measure_begin(&run);
    for (unsigned i = 0; i < plan->connections; i++) send_requests(&clients[i]);
    do {
        struct epoll_event events[256];
        int ready = epoll_wait(epoll, events, 256, 1000);
        for (int i = 0; i < ready; i++) receive(events[i].data.ptr);
    } while (!measure_is_over(&run, measure_now()));
    measure_print(&run);
}
