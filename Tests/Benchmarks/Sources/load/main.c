/// Loads a server on a Unix stream socket and checks every reply.
///
///     load --socket PATH --reply TEXT (--request TEXT | --requests FILE) [OPTION…]
///
/// Each connection has a number of requests in flight; each reply triggers the next request. The latency of a request runs
/// from before the call that sent it (or the one that connected) to after the call that returned its reply.
///
///     --socket PATH       the server's socket
///     --request TEXT      the bytes of a request, with the line ending
///     --requests FILE     requests, one per line, sent in turn
///     --reply TEXT        the bytes of each reply, with the line ending; with --http the body, with --varlink the
///                         beginning
///     --http              replies are HTTP responses
///     --varlink           requests and replies are Varlink messages, each of which ends with a zero byte
///     --connections N     the number of connections (1)
///     --in-flight N       the number of requests in flight on each connection (1)
///     --warm-up SECONDS   the unmeasured time at the beginning (0)
///     --seconds SECONDS   the time to measure (1), or
///     --count N           the number of replies to measure, without a warm-up
///     --process PID       a process whose processor time is reported; up to four times
///     --once              each request has its own connection
///     --every SECONDS     one connection sends one request at this interval
///     --hold              each connection sends one request, then all stay until standard input ends
///
/// Writes a line of JSON: requests, seconds, rate (requests per second), p50, p99 and p999 (microseconds), processor
/// (microseconds of the named processes per request) and clientLoad (the share of one processor that this program used).
/// Exits with 0 if all replies were right, and otherwise with 1.
#define _GNU_SOURCE
#include "client.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

struct options {
    const char *request, *requests;
    double every;
    bool holds;
};

static void read_options(int count, char **texts, struct conversation *conversation, struct options *options) {
    static const struct option names[] = {
        { "connections", required_argument, NULL, 'c' }, { "in-flight", required_argument, NULL, 'p' },
        { "warm-up", required_argument, NULL, 'w' },     { "seconds", required_argument, NULL, 't' },
        { "count", required_argument, NULL, 'n' },       { "process", required_argument, NULL, 'P' },
        { "socket", required_argument, NULL, 's' },      { "request", required_argument, NULL, 'r' },
        { "requests", required_argument, NULL, 'f' },    { "reply", required_argument, NULL, 'e' },
        { "every", required_argument, NULL, 'i' },       { "http", no_argument, NULL, 'H' },
        { "once", no_argument, NULL, '1' },              { "hold", no_argument, NULL, 'h' },
        { "varlink", no_argument, NULL, 'V' },           { 0 },
    };
    for (int letter; (letter = getopt_long(count, texts, "", names, NULL)) != -1;) {
        switch (letter) {
        case 's': conversation->socket = optarg; break;
        case 'e': conversation->reply = optarg; break;
        case 'H': conversation->is_http = true; break;
        case '1': conversation->connects_each_time = true; break;
        case 'r': options->request = optarg; break;
        case 'f': options->requests = optarg; break;
        case 'i': options->every = atof(optarg); break;
        case 'h': options->holds = true; break;
        case 'V': conversation->is_varlink = true; break;
        default:
            if (!measure_plan_read(&conversation->run.plan, letter, optarg)) exit(64);
        }
    }
    const struct measure_plan *plan = &conversation->run.plan;
    if (!conversation->socket || !conversation->reply || !options->request == !options->requests || optind < count
        || plan->connections < 1 || plan->in_flight < 1 || (conversation->connects_each_time && plan->in_flight > 1)) {
        measure_fail("the options are described at the top of its source");
    }
    conversation->reply_length = strlen(conversation->reply);
}

/// Every connection has its requests in flight, until the run is over.
static void run_closed_loop(struct client *clients, struct conversation *conversation) {
    measure_begin(&conversation->run);
    for (unsigned i = 0; i < conversation->run.plan.connections; i++) client_send(&clients[i], conversation);
    do {
        struct epoll_event events[256];
        int count = epoll_wait(conversation->epoll, events, 256, 1000);
        for (int i = 0; i < count; i++) client_receive(events[i].data.ptr, conversation);
    } while (!measure_is_over(&conversation->run, measure_now()));
}

/// One client sends a request at each multiple of a time, as a person or a script would: now and then.
static void run_paced(struct client *client, struct conversation *conversation, double every) {
    measure_begin(&conversation->run);
    uint64_t due = measure_now();
    for (; !measure_is_over(&conversation->run, measure_now()); due += (uint64_t)(every * 1e9)) {
        struct timespec time = { (time_t)(due / 1000000000), (long)(due % 1000000000) };
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {}
        conversation->left = 1;
        client_send(client, conversation);
        while (client->waiting) {
            struct epoll_event event;
            if (epoll_wait(conversation->epoll, &event, 1, 10000) == 0) measure_fail("no reply for ten seconds");
            client_receive(client, conversation);
        }
    }
}

int main(int count, char **texts) {
    static struct conversation conversation = { .run.plan = { .connections = 1, .in_flight = 1, .seconds = 1 } };
    struct options options = { 0 };
    read_options(count, texts, &conversation, &options);
    struct measure_plan *plan = &conversation.run.plan;
    if (options.holds) plan->count = plan->connections;
    conversation.left = plan->count ? plan->count : UINT64_MAX;
    conversation.requests = options.request
        ? requests_make(options.request, strlen(options.request) + conversation.is_varlink, plan->in_flight)
        : requests_read(options.requests, plan->in_flight);
    measure_raise_descriptor_limit();
    conversation.epoll = epoll_create1(EPOLL_CLOEXEC);
    struct client *clients = calloc(plan->connections, sizeof *clients);
    if (conversation.epoll < 0 || !clients) measure_fail("cannot begin: %s", strerror(errno));
    for (unsigned i = 0; i < plan->connections; i++) {
        clients[i].sent = calloc(plan->in_flight, sizeof *clients[i].sent);
        if (!clients[i].sent) measure_fail("out of memory");
        clients[i].next = i % conversation.requests.count;
        client_open(&clients[i], &conversation);
    }
    if (options.every > 0) run_paced(clients, &conversation, options.every);
    else run_closed_loop(clients, &conversation);
    measure_print(&conversation.run);
    char byte;
    while (options.holds && read(STDIN_FILENO, &byte, 1) > 0) {}
}
