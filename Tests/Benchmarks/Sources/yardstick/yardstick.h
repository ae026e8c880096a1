#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A slice of text that belongs to another buffer.
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
    /// The value of `x-success`; empty if missing.
    struct text success;
    /// The buffer of decoded text.
    char decoded[LONGEST_LINE];
};

/// Parses a URL. Returns an error message, or NULL.
const char *request_parse(struct request *request, struct text url);

/// Creates a table with a number of routes.
void routes_make(unsigned count);

/// Returns the number of the matching route, from 1, or 0.
unsigned routes_match(const struct text *segments, size_t count);

/// Writes the answer to a line, without the line ending, and returns its length, which is at most that of the line plus 128
/// bytes.
size_t answer(struct text line, char *output);

/// Serves the clients of a listening socket.
__attribute__((noreturn)) void serve(int listener);
