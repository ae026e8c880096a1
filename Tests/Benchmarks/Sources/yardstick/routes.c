#define _GNU_SOURCE
#include "yardstick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// An edge between two nodes, for a literal segment.
struct edge {
    struct text segment;
    unsigned child;
};

/// A node of the trie. Node 0 is the root, so that 0 also means that there is no node.
struct node {
    /// The edges: a hash table with open addressing, at most half full.
    struct edge *edges;
    uint32_t mask, used;
    /// The node after a segment of any text.
    unsigned capture;
    unsigned route;
};

static struct node *nodes;
static unsigned node_count = 1, node_room;

static uint64_t word(const char *bytes, size_t length) {
    uint64_t word = 0;
    memcpy(&word, bytes, length);
    return word;
}

/// Mixes eight bytes at a time; the last eight may overlap the previous ones.
static uint32_t hash(struct text segment) {
    static const uint64_t odd = 0x9e3779b97f4a7c15;
    uint64_t sum = segment.length;
    size_t at = 0;
    for (; at + 8 < segment.length; at += 8) sum = (sum ^ word(segment.bytes + at, 8)) * odd;
    const char *end = segment.bytes + segment.length;
    if (segment.length >= 8) sum ^= word(end - 8, 8);
    else if (segment.length >= 4) sum ^= word(segment.bytes, 4) << 32 ^ word(end - 4, 4);
    else for (; at < segment.length; at++) sum ^= (uint64_t)(unsigned char)segment.bytes[at] << (8 * at + 8);
    return (uint32_t)(sum * odd >> 32);
}

/// Returns the slot of a segment in a node's table: its edge, or an empty one.
static struct edge *find(const struct node *node, struct text segment) {
    for (uint32_t at = hash(segment);; at++) {
        struct edge *edge = &node->edges[at & node->mask];
        if (!edge->child) return edge;
        if (edge->segment.length == segment.length
            && memcmp(edge->segment.bytes, segment.bytes, segment.length) == 0) return edge;
    }
}

static unsigned add_node(void) {
    if (node_count == node_room) {
        fputs("yardstick: too many nodes\n", stderr);
        exit(1);
    }
    return node_count++;
}

static void grow(struct node *node) {
    struct node larger = { .mask = node->edges ? node->mask * 2 + 1 : 3 };
    larger.edges = calloc(larger.mask + 1, sizeof *larger.edges);
    if (!larger.edges) exit(1);
    for (uint32_t i = 0; node->edges && i <= node->mask; i++) {
        if (node->edges[i].child) *find(&larger, node->edges[i].segment) = node->edges[i];
    }
    free(node->edges);
    node->edges = larger.edges;
    node->mask = larger.mask;
}

static unsigned child(unsigned parent, struct text segment) {
    struct node *node = &nodes[parent];
    if (segment.bytes[0] == ':') return node->capture ? node->capture : (node->capture = add_node());
    if (!node->edges || (node->used + 1) * 2 > node->mask + 1) grow(node);
    struct edge *edge = find(node, segment);
    if (!edge->child) {
        *edge = (struct edge){ { strndup(segment.bytes, segment.length), segment.length }, add_node() };
        node->used++;
    }
    return edge->child;
}

static void add_route(const char *pattern, unsigned number) {
    unsigned at = 0;
    for (const char *segment = pattern; *segment;) {
        size_t length = strcspn(segment, "/");
        at = child(at, (struct text){ segment, length });
        segment += length + (segment[length] == '/');
    }
    nodes[at].route = number;
}

void routes_make(unsigned count) {
    static const char *const patterns[] = {
        "items", "items/:id", "items/:id/append", "items/:id/remove", "open",
        "open/:doc/page/:num", "create", "search", "tags/:tag", "files/:name",
    };
    enum { PATTERNS = sizeof patterns / sizeof *patterns };
    node_room = count * 3 + 32;
    nodes = calloc(node_room, sizeof *nodes);
    if (!nodes) exit(1);
    add_route("notes/:id/append", 1);
    for (unsigned i = 0; i + 1 < count; i++) {
        char pattern[64];
        snprintf(pattern, sizeof pattern, "svc%u/%s", i / PATTERNS, patterns[i % PATTERNS]);
        add_route(pattern, i + 2);
    }
}

/// Continues from a node: with a literal first, then with a capture.
static unsigned match(unsigned at, const struct text *segments, size_t count) {
    const struct node *node = &nodes[at];
    if (!count) return node->route;
    unsigned next = node->edges ? find(node, *segments)->child : 0;
    unsigned route = next ? match(next, segments + 1, count - 1) : 0;
    return route || !node->capture ? route : match(node->capture, segments + 1, count - 1);
}

unsigned routes_match(const struct text *segments, size_t count) {
    return match(0, segments, count);
}
