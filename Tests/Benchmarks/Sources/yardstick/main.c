/// What a daemon in C would do, and no more: the yardstick of the benchmark.
///
///     yardstick SOCKET [ROUTES]
///
/// It takes x-callback-URLs apart, decodes their parts, finds the route among ROUTES (100) in a trie, and answers with
/// `x-success` and one more item. One thread, one epoll set, no allocation for a request.
#define _GNU_SOURCE
#include "yardstick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

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
    serve(listener);
}
