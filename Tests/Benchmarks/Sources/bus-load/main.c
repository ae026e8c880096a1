/// Does the same as `load`, with method calls through a message bus.
///
///     bus-load --socket PATH --request TEXT --reply TEXT [OPTION…]
///
/// The options are those of `load` for amount and duration.
#define _GNU_SOURCE
#include <measure.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <systemd/sd-bus.h>

struct call {
    sd_bus *bus;
    uint64_t sent;
};

static struct measure_run run;
static const struct measure_plan *const plan = &run.plan;

static void check(int result, const char *what) {
    if (result < 0) measure_fail("%s: %s", what, strerror(-result));
}

static int receive(sd_bus_message *message, void *context, sd_bus_error *error);

static void send_call(struct call *call) {
    sd_bus_message *message = NULL;
    check(sd_bus_message_new_method_call(call->bus, &message, "org.xcallback.Peer", "/peer", "org.xcallback.Peer", "Open"),
          "cannot make a call");
    check(sd_bus_message_append_basic(message, 's', plan->request), "cannot make a call");
    call->sent = measure_now();
    check(sd_bus_call_async(call->bus, NULL, message, receive, call, UINT64_MAX), "cannot call");
    sd_bus_message_unref(message);
}

static int receive(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)error;
    struct call *call = context;
    const char *reply = "";
    if (sd_bus_message_is_method_error(message, NULL)) measure_fail("%s", sd_bus_message_get_error(message)->message);
    check(sd_bus_message_read_basic(message, 's', &reply), "cannot read a reply");
    if (strcmp(reply, plan->reply) != 0) measure_fail("wrong reply\n  found:    %s\n  expected: %s", reply, plan->reply);
    measure_reply(&run, call->sent, measure_now());
    send_call(call);
    return 0;
}

/// Connects to the bus and waits for its greeting.
static sd_bus *connect_to_bus(int epoll) {
    char address[256];
    sd_bus *bus = NULL;
    snprintf(address, sizeof address, "unix:path=%s", plan->socket);
    check(sd_bus_new(&bus), "cannot connect");
    check(sd_bus_set_address(bus, address), "cannot connect");
    check(sd_bus_set_bus_client(bus, 1), "cannot connect");
    check(sd_bus_start(bus), "cannot connect");
    for (int ready; (ready = sd_bus_is_ready(bus)) <= 0;) {
        check(ready, "cannot connect");
        int done = sd_bus_process(bus, NULL);
        check(done, "cannot connect");
        if (done == 0) check(sd_bus_wait(bus, 10000000), "cannot connect");
    }
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = bus };
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, sd_bus_get_fd(bus), &event) != 0) measure_fail("epoll_ctl has failed");
    return bus;
}

/// Processes all available messages, and sends the resulting calls.
static void process(sd_bus *bus) {
    int result;
    while ((result = sd_bus_process(bus, NULL)) > 0) {}
    check(result, "the bus");
    check(sd_bus_flush(bus), "the bus");
}

int main(int count, char **texts) {
    measure_read_options(count, texts, &run.plan);
    measure_raise_descriptor_limit();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    sd_bus **buses = calloc(plan->connections, sizeof *buses);
    struct call *calls = calloc((size_t)plan->connections * plan->in_flight, sizeof *calls);
    if (epoll < 0 || !buses || !calls) measure_fail("cannot begin");
    for (unsigned i = 0; i < plan->connections; i++) buses[i] = connect_to_bus(epoll);
    measure_begin(&run);
    for (unsigned i = 0; i < plan->connections * plan->in_flight; i++) {
        calls[i].bus = buses[i / plan->in_flight];
        send_call(&calls[i]);
    }
    // A call that fits is sent immediately; unsent calls and new messages are handled here.
    for (unsigned i = 0; i < plan->connections; i++) process(buses[i]);
    do {
        struct epoll_event events[256];
        int ready = epoll_wait(epoll, events, 256, 1000);
        for (int i = 0; i < ready; i++) process(events[i].data.ptr);
    } while (!measure_is_over(&run, measure_now()));
    measure_print(&run);
}
