/// A minimal daemon in C: the yardstick of the benchmark.
///
///     yardstick SOCKET [ROUTES]
///
/// It parses x-callback-URLs, decodes their parts, finds the route among ROUTES (100) in a trie, and answers with `x-success`
/// and one more item. One thread, one epoll set, no allocation per request. With NOTIFY_SOCKET set, it sends READY=1 to that
/// socket once clients can connect, as daemons do (sd_notify(3)).
#define _GNU_SOURCE
#include "yardstick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void send_ready(void) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const char *path = getenv("NOTIFY_SOCKET");
    if (!path || strlen(path) >= sizeof address.sun_path) return;
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sendto(descriptor, "READY=1", 7, MSG_NOSIGNAL, (struct sockaddr *)&address, sizeof address) < 0) {
        perror("yardstick: NOTIFY_SOCKET");
    }
    close(descriptor);
}

int main(int count, char **texts) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int routes = count == 3 ? atoi(texts[2]) : 100;
    if (count < 2 || count > 3 || routes < 1 || strlen(texts[1]) >= sizeof address.sun_path) {
        fputs("usage: yardstick SOCKET [ROUTES]\n", stderr);
        return 64;
    }
    strcpy(address.sun_path, texts[1]);
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    routes_make((unsigned)routes);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 4096) != 0) {
        perror("yardstick");
        return 1;
    }
    send_ready();
    serve(listener);
}
