#pragma once

#include <measure.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The requests, followed by the first ones again, so that any burst is contiguous.
struct requests {
    char *bytes;
    /// The offset of each request, and the end of the last.
    size_t *offsets;
    size_t count;
};

/// The common part of all clients.
struct conversation {
    const char *socket;
    struct requests requests;
    /// The expected reply: a whole line with its ending, the body of an HTTP response, or the beginning of a Varlink message,
    /// whose rest is unique to a request.
    const char *reply;
    size_t reply_length;
    bool is_http, is_varlink;
    /// Whether each request has its own connection.
    bool connects_each_time;
    struct measure_run run;
    /// The number of requests left to send.
    uint64_t left;
    int epoll;
};

/// A connection and its requests.
struct client {
    int descriptor;
    /// The next request.
    size_t next;
    unsigned waiting, oldest;
    /// The send times of the requests in flight, as a ring.
    uint64_t *sent;
    /// The beginning of an incomplete reply.
    char kept[1024];
    size_t kept_length;
};

/// Creates the requests from one text, or from the lines of a file, for bursts of a size.
struct requests requests_make(const char *text, size_t length, unsigned burst);
struct requests requests_read(const char *path, unsigned burst);

/// Connects.
void client_open(struct client *client, struct conversation *conversation);

/// Sends as many requests as may be in flight.
void client_send(struct client *client, struct conversation *conversation);

/// Reads the available replies, checks and counts them, and sends the next requests.
void client_receive(struct client *client, struct conversation *conversation);
