/* Receives as `words` with nothing but a socket: counts the words of a text.
 *
 *     cc -o words words.c && ./words SOCKET
 *
 * A message is an object of JSON and a zero byte. This program only looks for the two texts that it needs, which is
 * enough as the daemon writes JSON without blanks; a larger one would use a library for JSON.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void fail(const char *what) {
    fprintf(stderr, "words: %s: %s\n", what, errno ? strerror(errno) : "it has ended");
    exit(1);
}

static FILE *connect_to(const char *path) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path) fail(path);
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) fail(path);
    FILE *connection = fdopen(descriptor, "r+");
    if (!connection) fail(path);
    return connection;
}

/* Sends a message, and waits for the next one. */
static void send_message(FILE *connection, const char *text) {
    if (fwrite(text, 1, strlen(text) + 1, connection) != strlen(text) + 1 || fflush(connection) != 0) fail("send");
}

static char *next_message(FILE *connection) {
    static char *text;
    static size_t room;
    errno = 0;
    if (getdelim(&text, &room, 0, connection) < 0) fail("the connection");
    return text;
}

static int is_error(const char *message) {
    return strncmp(message, "{\"error\":", strlen("{\"error\":")) == 0;
}

/* How many words there are in a JSON string, up to its closing quote; an escaped blank parts words too. */
static int words_in(const char *text) {
    int count = 0, inside = 0;
    for (; *text && *text != '"'; text++) {
        int blank = *text == ' ';
        if (*text == '\\' && text[1]) {
            text++;
            blank = strchr("ntr", *text) || strncmp(text, "u000b", 5) == 0 || strncmp(text, "u000c", 5) == 0;
            if (*text == 'u' && strlen(text) > 4) text += 4;
        }
        if (!blank && !inside) count++;
        inside = !blank;
    }
    return count;
}

int main(int count, char **arguments) {
    if (count != 2) {
        fputs("usage: words SOCKET\n", stderr);
        return 64;
    }
    static const char ended[] = "{\"continues\":true,\"parameters\":{\"ended\":";
    static const char item[] = "{\"name\":\"text\",\"value\":\"";
    FILE *requests = connect_to(arguments[1]), *responses = connect_to(arguments[1]);
    send_message(requests, "{\"method\":\"org.xcallback.Router.Receive\",\"more\":true,\"parameters\":{\"name\":\"words\"}}");
    for (;;) {
        char *message = next_message(requests), response[512];
        const char *id = strstr(message, "\"id\":\""), *text = strstr(message, item);
        if (is_error(message)) return fprintf(stderr, "words: %s\n", message), 1;
        // Whoever asked has left, or the time is over: nothing to do here, as each request is answered at once.
        if (strncmp(message, ended, strlen(ended)) == 0) continue;
        if (!id) {
            puts("receiving");
            fflush(stdout);
            continue;
        }
        int words = text ? words_in(text + strlen(item)) : 0;
        snprintf(response, sizeof response,
                 words ? "{\"method\":\"org.xcallback.Router.Respond\",\"parameters\":{\"id\":\"%.32s\",\"outcome\":\"success\","
                         "\"items\":[{\"name\":\"words\",\"value\":\"%d\"}]}}"
                       : "{\"method\":\"org.xcallback.Router.Respond\",\"parameters\":{\"id\":\"%.32s\",\"outcome\":\"error\","
                         "\"code\":422,\"message\":\"There is nothing to count.\"}}",
                 id + strlen("\"id\":\""), words);
        send_message(responses, response);
        message = next_message(responses);
        if (is_error(message)) fprintf(stderr, "words: %s\n", message);
    }
}
