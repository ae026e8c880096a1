/// A minimal daemon in C: the yardstick of the benchmark.
///
///     yardstick SOCKET
///
/// It parses x-callback-URLs, decodes their parts, finds the route among 100 in a trie, and answers with `x-success`
/// and one more item. One thread, one epoll set, no allocation per request.
#define _GNU_SOURCE
#include <errno.h>
#include <measure.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

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

/// Creates a table with a number of routes.
static void routes_make(unsigned count) {
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

/// Returns the number of the matching route, from 1, or 0.
static unsigned routes_match(const struct text *segments, size_t count) {
    return match(0, segments, count);
}

static int hexadecimal(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

/// Decodes a part of a URL with escapes into `*room`, and advances `*room`.
static bool decode(struct text *part, char **room) {
    const char *at = part->bytes, *end = at + part->length;
    char *begin = *room, *to = begin;
    while (at < end) {
        if (*at != '%') {
            *to++ = *at++;
            continue;
        }
        if (end - at < 3) return false;
        int high = hexadecimal(at[1]), low = hexadecimal(at[2]);
        if (high < 0 || low < 0 || !(high | low)) return false;
        *to++ = (char)(high << 4 | low);
        at += 3;
    }
    *part = (struct text){ begin, (size_t)(to - begin) };
    *room = to;
    return true;
}

/// Takes the text before one of two characters or the end, and decodes it. Then `*at` points to that character.
static bool take(struct text *part, const char **at, const char *end, char one, char other, char **room) {
    bool is_escaped = false;
    const char *begin = *at, *to = begin;
    for (; to < end && *to != one && *to != other; to++) is_escaped |= *to == '%';
    *part = (struct text){ begin, (size_t)(to - begin) };
    *at = to;
    return !is_escaped || decode(part, room);
}

static const char *parse_action(struct request *request, const char **at, const char *end, char **room) {
    while (*at < end && **at != '?') {
        if (request->segment_count == MOST_SEGMENTS) return "too many segments";
        struct text *segment = &request->segments[request->segment_count];
        if (!take(segment, at, end, '/', '?', room)) return "a bad escape in the action";
        if (segment->length) request->segment_count++;
        if (*at < end && **at == '/') ++*at;
    }
    return NULL;
}

static const char *parse_query(struct request *request, const char *at, const char *end, char **room) {
    while (at < end) {
        // At a question mark or an ampersand.
        at++;
        if (request->item_count == MOST_ITEMS) return "too many parameters";
        struct text *name = &request->names[request->item_count], *value = &request->values[request->item_count];
        if (!take(name, &at, end, '=', '&', room)) return "a bad escape in the query";
        if (at < end && *at == '=') at++;
        if (!take(value, &at, end, '&', '&', room)) return "a bad escape in the query";
        if (name->length == 9 && memcmp(name->bytes, "x-success", 9) == 0) request->success = *value;
        request->item_count++;
    }
    return NULL;
}

/// Parses a URL. Returns an error message, or NULL.
static const char *request_parse(struct request *request, struct text url) {
    static const char host[] = "//x-callback-url/";
    enum { HOST = sizeof host - 1 };
    request->segment_count = request->item_count = 0;
    request->success.bytes = NULL;
    char *room = request->decoded;
    const char *end = url.bytes + url.length, *at = memchr(url.bytes, ':', url.length);
    if (!at || at++ == url.bytes) return "no scheme";
    if (end - at < HOST || strncasecmp(at, host, HOST) != 0) return "another host";
    at += HOST;
    const char *fault = parse_action(request, &at, end, &room);
    return fault ? fault : parse_query(request, at, end, &room);
}

/// Appends a string literal.
#define APPEND(output, text) memcpy(output, text, sizeof text - 1)

/// Writes the answer to a line, without the line ending, and returns its length, which is at most that of the line plus 128
/// bytes.
static size_t answer(struct text line, char *output) {
    static struct request request;
    const char *fault = request_parse(&request, line);
    if (!fault && !routes_match(request.segments, request.segment_count)) fault = "no route";
    // A handler would read the items; this keeps the compiler from removing them.
    __asm__ volatile("" : : "r"(&request) : "memory");
    if (fault) return (size_t)(stpcpy(stpcpy(output, "error:"), fault) - output);
    char *to = output;
    if (request.success.bytes) {
        memcpy(to, request.success.bytes, request.success.length);
        to += request.success.length;
        *to++ = memchr(output, '?', request.success.length) ? '&' : '?';
    } else {
        to = stpcpy(to, "xcallback://x-callback-url/success?");
    }
    APPEND(to, "result=ok");
    return (size_t)(to - output) + sizeof "result=ok" - 1;
}

/// A client. Buffers exist only while there are leftover bytes.
struct connection {
    int descriptor;
    char *input;
    size_t input_length;
    char *output;
    size_t output_length, output_sent;
};

static int epoll;
static char input[LONGEST_LINE * 2], output[LONGEST_LINE * 4];

static void disconnect(struct connection *connection) {
    close(connection->descriptor);
    free(connection->input);
    free(connection->output);
    free(connection);
}

static bool watch(struct connection *connection, int operation, uint32_t events) {
    struct epoll_event event = { .events = events, .data.ptr = connection };
    return epoll_ctl(epoll, operation, connection->descriptor, &event) == 0;
}

/// Sends as much as the socket accepts and keeps the rest; until that is sent, nothing is read.
static bool send_or_keep(struct connection *connection, size_t length) {
    ssize_t sent = send(connection->descriptor, output, length, MSG_NOSIGNAL);
    if (sent == (ssize_t)length) return true;
    if (sent < 0 && errno != EAGAIN) return false;
    size_t from = sent < 0 ? 0 : (size_t)sent;
    connection->output = malloc(length - from);
    if (!connection->output) return false;
    memcpy(connection->output, output + from, connection->output_length = length - from);
    connection->output_sent = 0;
    return watch(connection, EPOLL_CTL_MOD, EPOLLOUT);
}

static bool send_rest(struct connection *connection) {
    ssize_t sent = send(connection->descriptor, connection->output + connection->output_sent,
                        connection->output_length - connection->output_sent, MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN;
    connection->output_sent += (size_t)sent;
    if (connection->output_sent < connection->output_length) return true;
    free(connection->output);
    connection->output = NULL;
    return watch(connection, EPOLL_CTL_MOD, EPOLLIN);
}

/// Keeps the beginning of a line for later.
static bool keep(struct connection *connection, struct text rest) {
    connection->input_length = rest.length;
    if (!rest.length) return true;
    if (!connection->input) connection->input = malloc(LONGEST_LINE);
    if (!connection->input || rest.length >= LONGEST_LINE) return false;
    memcpy(connection->input, rest.bytes, rest.length);
    return true;
}

/// Reads once and answers all whole lines. An answer is hardly longer than its line, so it fits into the output.
static bool read_and_answer(struct connection *connection) {
    size_t kept = connection->input_length, written = 0;
    if (kept) memcpy(input, connection->input, kept);
    ssize_t count = recv(connection->descriptor, input + kept, LONGEST_LINE, 0);
    if (count <= 0) return count < 0 && errno == EAGAIN;
    struct text rest = { input, kept + (size_t)count };
    const char *search = input + kept, *end;
    while ((end = memchr(search, '\n', (size_t)(rest.bytes + rest.length - search)))) {
        struct text line = { rest.bytes, (size_t)(end - rest.bytes) };
        if (sizeof output - written < line.length + 128) return false;
        written += answer(line, output + written);
        output[written++] = '\n';
        rest = (struct text){ end + 1, rest.length - line.length - 1 };
        search = rest.bytes;
    }
    return keep(connection, rest) && (!written || send_or_keep(connection, written));
}

static void accept_one(int listener) {
    int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return;
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection) exit(1);
    connection->descriptor = descriptor;
    if (!watch(connection, EPOLL_CTL_ADD, EPOLLIN)) disconnect(connection);
}

/// Serves the clients of a listening socket.
__attribute__((noreturn)) static void serve(int listener) {
    epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = NULL };
    if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) != 0) {
        perror("yardstick: epoll");
        exit(1);
    }
    for (;;) {
        struct epoll_event events[256];
        int count = epoll_wait(epoll, events, 256, -1);
        for (int i = 0; i < count; i++) {
            struct connection *connection = events[i].data.ptr;
            if (!connection) accept_one(listener);
            else if (!(connection->output ? send_rest(connection) : read_and_answer(connection))) disconnect(connection);
        }
    }
}

int main(int count, char **texts) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (count != 2 || strlen(texts[1]) >= sizeof address.sun_path) {
        fputs("usage: yardstick SOCKET\n", stderr);
        return 64;
    }
    strcpy(address.sun_path, texts[1]);
    measure_raise_descriptor_limit();
    routes_make(100);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 4096) != 0) {
        perror("yardstick");
        return 1;
    }
    serve(listener);
}
