#define _GNU_SOURCE
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Adds a request. Both buffers grow by doubling.
static void add(struct requests *requests, const char *text, size_t length, size_t *room, size_t *slots) {
    size_t end = requests->count ? requests->offsets[requests->count] : 0;
    if (end + length > *room) requests->bytes = realloc(requests->bytes, *room = (end + length) * 2);
    if (requests->count + 2 > *slots) {
        requests->offsets = realloc(requests->offsets, (*slots = *slots * 2 + 16) * sizeof *requests->offsets);
    }
    if (!requests->bytes || !requests->offsets) measure_fail("out of memory");
    memcpy(requests->bytes + end, text, length);
    requests->offsets[requests->count++] = end;
    requests->offsets[requests->count] = end + length;
}

/// Repeats the first requests after the last.
static void add_burst(struct requests *requests, unsigned burst, size_t *room, size_t *slots) {
    size_t count = requests->count;
    for (size_t i = 0; i < burst; i++) {
        size_t length = requests->offsets[i + 1] - requests->offsets[i];
        char *copy = malloc(length);
        if (!copy) measure_fail("out of memory");
        memcpy(copy, requests->bytes + requests->offsets[i], length);
        add(requests, copy, length, room, slots);
        free(copy);
    }
    requests->count = count;
}

struct requests requests_make(const char *text, size_t length, unsigned burst) {
    struct requests requests = { 0 };
    size_t room = 0, slots = 0;
    add(&requests, text, length, &room, &slots);
    add_burst(&requests, burst, &room, &slots);
    return requests;
}

struct requests requests_read(const char *path, unsigned burst) {
    struct requests requests = { 0 };
    size_t room = 0, slots = 0, capacity = 0;
    char *line = NULL;
    FILE *file = fopen(path, "r");
    if (!file) measure_fail("cannot open '%s'", path);
    for (ssize_t length; (length = getline(&line, &capacity, file)) > 0;) {
        add(&requests, line, (size_t)length, &room, &slots);
    }
    free(line);
    fclose(file);
    if (!requests.count) measure_fail("no requests in '%s'", path);
    add_burst(&requests, burst, &room, &slots);
    return requests;
}
