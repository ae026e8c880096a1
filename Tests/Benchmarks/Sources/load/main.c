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
///     --process PID       a process whose processor time is reported; up to four times
///
/// Writes a line of JSON: rate (requests per second), p50 and p99 (microseconds), processor
/// (microseconds of the named processes per request) and clientLoad (the share of one processor that this program used).
/// Exits with 0 if all replies were right, and otherwise with 1.
#define _GNU_SOURCE
#include "client.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static void read_options(int count, char **texts, struct conversation *conversation) {
    static const struct option names[] = {
        { "connections", required_argument, NULL, 'c' }, { "in-flight", required_argument, NULL, 'p' },
        { "warm-up", required_argument, NULL, 'w' },     { "seconds", required_argument, NULL, 't' },
        { "process", required_argument, NULL, 'P' },     { "socket", required_argument, NULL, 's' },
        { "request", required_argument, NULL, 'r' },     { "reply", required_argument, NULL, 'e' },
        { "varlink", no_argument, NULL, 'V' },           { 0 },
    };
    for (int letter; (letter = getopt_long(count, texts, "", names, NULL)) != -1;) {
        switch (letter) {
        case 's': conversation->socket = optarg; break;
        case 'e': conversation->reply = optarg; break;
        case 'r': conversation->request = optarg; break;
        case 'V': conversation->is_varlink = true; break;
        default:
            if (!measure_plan_read(&conversation->run.plan, letter, optarg)) exit(64);
        }
    }
    const struct measure_plan *plan = &conversation->run.plan;
    if (!conversation->socket || !conversation->reply || !conversation->request || optind < count
        || plan->connections < 1 || plan->in_flight < 1) {
        measure_fail("the options are described at the top of its source");
    }
    conversation->reply_length = strlen(conversation->reply);
    conversation->request_length = strlen(conversation->request) + conversation->is_varlink;
}

/// Repeats the request, so that one call sends as many as may be in flight.
static char *burst_of(const struct conversation *conversation) {
    size_t length = conversation->request_length;
    char *burst = malloc(length * conversation->run.plan.in_flight);
    if (!burst) measure_fail("out of memory");
    for (unsigned i = 0; i < conversation->run.plan.in_flight; i++) {
        memcpy(burst + i * length, conversation->request, length);
    }
    return burst;
}

int main(int count, char **texts) {
    static struct conversation conversation = { .run.plan = { .connections = 1, .in_flight = 1, .seconds = 1 } };
    read_options(count, texts, &conversation);
    struct measure_plan *plan = &conversation.run.plan;
    conversation.burst = burst_of(&conversation);
    measure_raise_descriptor_limit();
    conversation.epoll = epoll_create1(EPOLL_CLOEXEC);
    struct client *clients = calloc(plan->connections, sizeof *clients);
    if (conversation.epoll < 0 || !clients) measure_fail("cannot begin: %s", strerror(errno));
    for (unsigned i = 0; i < plan->connections; i++) {
        clients[i].sent = calloc(plan->in_flight, sizeof *clients[i].sent);
        if (!clients[i].sent) measure_fail("out of memory");
        client_open(&clients[i], &conversation);
    }
    measure_begin(&conversation.run);
    for (unsigned i = 0; i < plan->connections; i++) client_send(&clients[i], &conversation);
    do {
        struct epoll_event events[256];
        int ready = epoll_wait(conversation.epoll, events, 256, 1000);
        for (int i = 0; i < ready; i++) client_receive(events[i].data.ptr, &conversation);
    } while (!measure_is_over(&conversation.run, measure_now()));
    measure_print(&conversation.run);
}
