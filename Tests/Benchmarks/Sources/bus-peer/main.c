/// A service on a message bus that answers every call with the same text.
///
///     bus-peer ADDRESS REPLY
///
/// Writes a line once it owns its name.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>

static int open_url(sd_bus_message *call, void *reply, sd_bus_error *error) {
    (void)error;
    const char *url;
    int result = sd_bus_message_read(call, "s", &url);
    return result < 0 ? result : sd_bus_reply_method_return(call, "s", (const char *)reply);
}

static const sd_bus_vtable methods[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Open", "s", "s", open_url, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

static int serve(const char *address, char *reply) {
    sd_bus *bus = NULL;
    int result;
    if ((result = sd_bus_new(&bus)) < 0) return result;
    if ((result = sd_bus_set_address(bus, address)) < 0) return result;
    if ((result = sd_bus_set_bus_client(bus, 1)) < 0) return result;
    if ((result = sd_bus_start(bus)) < 0) return result;
    if ((result = sd_bus_add_object_vtable(bus, NULL, "/peer", "org.xcallback.Peer", methods, reply)) < 0) return result;
    if ((result = sd_bus_request_name(bus, "org.xcallback.Peer", 0)) < 0) return result;
    puts("ready");
    fflush(stdout);
    for (;;) {
        result = sd_bus_process(bus, NULL);
        if (result == 0) result = sd_bus_wait(bus, UINT64_MAX);
        if (result < 0 && result != -EINTR) return result;
    }
}

int main(int count, char **texts) {
    if (count != 3) {
        fputs("usage: bus-peer ADDRESS REPLY\n", stderr);
        return 64;
    }
    fprintf(stderr, "bus-peer: %s\n", strerror(-serve(texts[1], texts[2])));
    return 1;
}
