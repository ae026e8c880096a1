#pragma once

#include <measure.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The common part of all clients.
struct conversation {
    const char *socket;
    const char *request;
    size_t request_length;
    /// As many requests as may be in flight on a connection.
    char *burst;
    /// The expected reply: a whole line with its ending, or the beginning of a Varlink message, whose rest is unique to a
    /// request.
    const char *reply;
    size_t reply_length;
    bool is_varlink;
    struct measure_run run;
    int epoll;
};

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

/// Connects.
void client_open(struct client *client, struct conversation *conversation);

/// Sends as many requests as may be in flight.
void client_send(struct client *client, struct conversation *conversation);

/// Reads the available replies, checks and counts them, and sends the next requests.
void client_receive(struct client *client, struct conversation *conversation);
