#include "Notice.h"

#include <dlfcn.h>
#include <stddef.h>

// Functions of libsystemd (sd-bus(3)), which this library does not need otherwise.
static int (*bus_open)(void **bus);
static int (*bus_set_timeout)(void *bus, uint64_t microseconds);
static int (*bus_match)(void *bus, void **slot, const char *sender, const char *path, const char *interface, const char *member,
                        int (*callback)(void *, void *, void *), void *data);
static int (*bus_call)(void *bus, const char *destination, const char *path, const char *interface, const char *member,
                       void *error, void **reply, const char *types, ...);
static int (*bus_send)(void *bus, void **slot, const char *destination, const char *path, const char *interface,
                       const char *member, void *callback, void *data, const char *types, ...);
static int (*bus_process)(void *bus, void **message);
static void *(*bus_close)(void *bus);
static int (*message_read)(void *message, const char *types, ...);
static void *(*message_unref)(void *message);

static const char *const name = "org.freedesktop.Notifications";
static const char *const path = "/org/freedesktop/Notifications";

/// Finds the functions; the library stays loaded.
static int load(void) {
    void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return -1;
    const struct {
        void **function;
        const char *name;
    } functions[] = {
        {(void **)&bus_open, "sd_bus_open_user"}, {(void **)&bus_set_timeout, "sd_bus_set_method_call_timeout"},
        {(void **)&bus_match, "sd_bus_match_signal"}, {(void **)&bus_call, "sd_bus_call_method"},
        {(void **)&bus_send, "sd_bus_call_method_async"}, {(void **)&bus_process, "sd_bus_process"},
        {(void **)&bus_close, "sd_bus_flush_close_unref"},
        {(void **)&message_read, "sd_bus_message_read"}, {(void **)&message_unref, "sd_bus_message_unref"},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if ((*functions[i].function = dlsym(library, functions[i].name)) == NULL) return -1;
    }
    return 0;
}

/// Takes a signal about the notification.
static int take(void *message, void *data, enum xcb_notice_state state) {
    struct xcb_notice *notice = data;
    uint32_t id = 0;
    if (message_read(message, "u", &id) >= 0 && id == notice->id && notice->state == XCB_NOTICE_SHOWN) notice->state = state;
    return 0;
}

static int take_press(void *message, void *data, void *error) {
    (void)error;
    return take(message, data, XCB_NOTICE_PRESSED);
}

static int take_end(void *message, void *data, void *error) {
    (void)error;
    return take(message, data, XCB_NOTICE_CLOSED);
}

int xcb_notice_open(struct xcb_notice *notice) {
    *notice = (struct xcb_notice){.state = XCB_NOTICE_SHOWN};
    if (load() < 0 || bus_open(&notice->bus) < 0) return -1;
    if (bus_set_timeout(notice->bus, 1000000) >= 0
        && bus_match(notice->bus, NULL, name, path, name, "ActionInvoked", take_press, notice) >= 0
        && bus_match(notice->bus, NULL, name, path, name, "NotificationClosed", take_end, notice) >= 0) return 0;
    bus_close(notice->bus);
    return -1;
}

int xcb_notice_show(struct xcb_notice *notice, const char *title, const char *text) {
    void *reply = NULL;
    int result = bus_call(notice->bus, name, path, name, "Notify", NULL, &reply, "susssasa{sv}i", "xcallback", notice->id, "",
                          title, text, 2, "cancel", "Cancel", 1, "desktop-entry", "s", "org.xcallback.Router", 0);
    if (result >= 0) result = message_read(reply, "u", &notice->id);
    message_unref(reply);
    return result < 0 ? -1 : 0;
}

enum xcb_notice_state xcb_notice_update(struct xcb_notice *notice) {
    int result;
    while ((result = bus_process(notice->bus, NULL)) > 0) {}
    return result < 0 ? XCB_NOTICE_CLOSED : notice->state;
}

void xcb_notice_close(struct xcb_notice *notice) {
    if (notice->id != 0 && notice->state != XCB_NOTICE_CLOSED)
        (void)bus_send(notice->bus, NULL, name, path, name, "CloseNotification", NULL, NULL, "u", notice->id);
    bus_close(notice->bus);
}
