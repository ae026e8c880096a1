/// Receives requests from the daemon and responds to each with the same item.
///
///     receiver SOCKET NAME COUNT
///
/// One connection receives requests, up to COUNT at a time, and another sends the responses, without confirmation, as with
/// replies over D-Bus. Writes a line once it receives.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct connection {
    int descriptor;
    /// The beginning of an incomplete message.
    char kept[64 * 1024];
    size_t length;
};

__attribute__((noreturn)) static void fail(const char *what) {
    fprintf(stderr, "receiver: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int connect_to(const char *path) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path) fail("the socket's path is too long");
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) fail("cannot connect");
    return descriptor;
}

static void send_all(int descriptor, const char *bytes, size_t length) {
    while (length) {
        ssize_t sent = send(descriptor, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) fail("cannot send");
        if (sent > 0) bytes += sent, length -= (size_t)sent;
    }
}

/// Appends the response to a request, if the message is one.
static size_t respond(const char *message, size_t length, char *response) {
    static const char key[] = "\"id\":\"";
    const char *id = memmem(message, length, key, sizeof key - 1);
    if (!id) return 0;
    return 1 + (size_t)sprintf(response,
        "{\"method\":\"org.xcallback.Router.Respond\",\"oneway\":true,\"parameters\":{\"id\":\"%.32s\",\"outcome\":\"success\","
        "\"items\":[{\"name\":\"result\",\"value\":\"ok\"}]}}", id + sizeof key - 1);
}

/// Reads the available input, and appends the responses.
static size_t receive(struct connection *connection, char *responses) {
    ssize_t count = recv(connection->descriptor, connection->kept + connection->length,
        sizeof connection->kept - connection->length, 0);
    if (count < 0 && errno == EINTR) return 0;
    if (count <= 0) fail("the daemon has hung up");
    connection->length += (size_t)count;
    size_t written = 0;
    for (char *end; (end = memchr(connection->kept, 0, connection->length)) != NULL;) {
        size_t length = (size_t)(end - connection->kept);
        written += respond(connection->kept, length, responses + written);
        memmove(connection->kept, end + 1, connection->length -= length + 1);
    }
    return written;
}

int main(int count, char **texts) {
    if (count != 4) {
        fputs("usage: receiver SOCKET NAME COUNT\n", stderr);
        return 64;
    }
    static struct connection connection;
    static char responses[256 * 1024];
    char call[512];
    int responder = connect_to(texts[1]);
    connection.descriptor = connect_to(texts[1]);
    int length = snprintf(call, sizeof call,
        "{\"method\":\"org.xcallback.Router.Receive\",\"more\":true,\"parameters\":{\"name\":\"%s\",\"prefetch\":%d}}",
        texts[2], atoi(texts[3]));
    send_all(connection.descriptor, call, (size_t)length + 1);
    // The first reply confirms that the name is received.
    if (recv(connection.descriptor, call, sizeof call, 0) <= 0) fail("cannot receive");
    puts("ready");
    fflush(stdout);
    for (;;) send_all(responder, responses, receive(&connection, responses));
}
