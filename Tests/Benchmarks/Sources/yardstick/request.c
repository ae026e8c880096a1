#define _GNU_SOURCE
#include "yardstick.h"

#include <string.h>

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

const char *request_parse(struct request *request, struct text url) {
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

size_t answer(struct text line, char *output) {
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
