#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A piece of text that belongs to somebody else.
struct text {
    const char *bytes;
    size_t length;
};

enum { LONGEST_LINE = 64 << 10, MOST_SEGMENTS = 32, MOST_ITEMS = 64 };

/// A request, decoded.
struct request {
    struct text segments[MOST_SEGMENTS];
    size_t segment_count;
    struct text names[MOST_ITEMS], values[MOST_ITEMS];
    size_t item_count;
    /// What `x-success` says; without bytes if nothing does.
    struct text success;
    /// Where decoded text is kept.
    char decoded[LONGEST_LINE];
};

/// Takes a URL apart. Returns what is wrong with it, or NULL.
const char *request_parse(struct request *request, struct text url);

/// Makes a table of as many routes.
void routes_make(unsigned count);

/// The number of the route that answers, from 1, or 0.
unsigned routes_match(const struct text *segments, size_t count);

/// Writes the answer to a line, without the end of the line, and returns its length. It is never longer than the line
/// and 128 bytes more.
size_t answer(struct text line, char *output);

/// Serves the clients of a listening socket.
__attribute__((noreturn)) void serve(int listener);
