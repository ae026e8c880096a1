#pragma once

#include <measure.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The requests, one after another, and again those at the beginning, so that any burst of them is one piece.
struct requests {
    char *bytes;
    /// Where each begins, and where the last ends.
    size_t *offsets;
    size_t count;
};

/// What all clients do.
struct conversation {
    const char *socket;
    struct requests requests;
    /// What each reply has to be: a whole line with its end, the body of an HTTP response, or the beginning of a message of
    /// Varlink, whose rest tells requests apart.
    const char *reply;
    size_t reply_length;
    bool is_http, is_varlink;
    /// Whether each request has a connection of its own.
    bool connects_each_time;
    struct measure_run run;
    /// How many requests may still be sent.
    uint64_t left;
    int epoll;
};

/// A connection and its requests.
struct client {
    int descriptor;
    /// The request to send next.
    size_t next;
    unsigned waiting, oldest;
    /// When those that wait were sent, as a ring.
    uint64_t *sent;
    /// The beginning of a reply.
    char kept[1024];
    size_t kept_length;
};

/// Makes the requests out of one text, or out of the lines of a file, for bursts of a size.
struct requests requests_make(const char *text, size_t length, unsigned burst);
struct requests requests_read(const char *path, unsigned burst);

/// Connects.
void client_open(struct client *client, struct conversation *conversation);

/// Sends as many requests as may be in flight.
void client_send(struct client *client, struct conversation *conversation);

/// Takes what replies there are, checks and counts them, and sends the next requests.
void client_receive(struct client *client, struct conversation *conversation);
