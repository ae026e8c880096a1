#include "CDisplay.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The parts of xcb/xcb.h that are used; the header need not be installed. The layouts are those of the X protocol, and
// cannot change.

typedef struct connection connection;
typedef struct { uint32_t root; } screen;
typedef struct { screen *data; int rest; int index; } screen_iterator;
typedef struct { unsigned int sequence; } request;
typedef struct { uint8_t kind, pad; uint16_t sequence; uint32_t length, atom; } atom_reply;
typedef struct {
    uint8_t kind, format;
    uint16_t sequence;
    uint32_t window, type;
    char data[20];
} client_message;

enum { CLIENT_MESSAGE = 33, INPUT_ONLY = 2, PROPERTY_CHANGE = 1 << 22 };

static struct {
    connection *(*connect)(const char *, int *);
    int (*connection_has_error)(connection *);
    void (*disconnect)(connection *);
    const void *(*get_setup)(connection *);
    screen_iterator (*setup_roots_iterator)(const void *);
    void (*screen_next)(screen_iterator *);
    uint32_t (*generate_id)(connection *);
    request (*intern_atom)(connection *, uint8_t, uint16_t, const char *);
    atom_reply *(*intern_atom_reply)(connection *, request, void **);
    request (*create_window)(
        connection *, uint8_t, uint32_t, uint32_t, int16_t, int16_t, uint16_t, uint16_t, uint16_t, uint16_t, uint32_t,
        uint32_t, const void *);
    request (*send_event)(connection *, uint8_t, uint32_t, uint32_t, const char *);
    int (*flush)(connection *);
} xcb;

static int load(void)
{
    void *library = dlopen("libxcb.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return -1;
    const struct { const char *name; void *place; } functions[] = {
        {"xcb_connect", &xcb.connect}, {"xcb_connection_has_error", &xcb.connection_has_error},
        {"xcb_disconnect", &xcb.disconnect}, {"xcb_get_setup", &xcb.get_setup},
        {"xcb_setup_roots_iterator", &xcb.setup_roots_iterator}, {"xcb_screen_next", &xcb.screen_next},
        {"xcb_generate_id", &xcb.generate_id}, {"xcb_intern_atom", &xcb.intern_atom},
        {"xcb_intern_atom_reply", &xcb.intern_atom_reply}, {"xcb_create_window", &xcb.create_window},
        {"xcb_send_event", &xcb.send_event}, {"xcb_flush", &xcb.flush},
    };
    for (size_t index = 0; index < sizeof functions / sizeof functions[0]; ++index) {
        void *function = dlsym(library, functions[index].name);
        if (!function) return -1;
        memcpy(functions[index].place, &function, sizeof function);
    }
    return 0;
}

static uint32_t atom(connection *display, const char *name)
{
    request sent = xcb.intern_atom(display, 0, (uint16_t)strlen(name), name);
    atom_reply *reply = xcb.intern_atom_reply(display, sent, NULL);
    uint32_t value = reply ? reply->atom : 0;
    free(reply);
    return value;
}

/// Returns the message with special characters escaped; NULL without memory for it.
static char *message(const char *id)
{
    static const char beginning[] = "remove: ID=\"";
    char *text = malloc(sizeof beginning + 2 * strlen(id) + 1);
    if (!text) return NULL;
    char *end = stpcpy(text, beginning);
    for (; *id; ++id) {
        if (*id == '"' || *id == '\\') *end++ = '\\';
        *end++ = *id;
    }
    strcpy(end, "\"");
    return text;
}

/// Sends the message in pieces of 20 bytes; the last piece contains the NUL.
static void broadcast(connection *display, uint32_t root, const char *text)
{
    uint32_t window = xcb.generate_id(display);
    xcb.create_window(display, 0, window, root, -1, -1, 1, 1, 0, INPUT_ONLY, 0, 0, NULL);
    client_message event = {.kind = CLIENT_MESSAGE, .format = 8, .window = window};
    event.type = atom(display, "_NET_STARTUP_INFO_BEGIN");
    uint32_t next = atom(display, "_NET_STARTUP_INFO");
    size_t size = strlen(text) + 1;
    for (size_t start = 0; start < size; start += sizeof event.data) {
        memset(event.data, 0, sizeof event.data);
        size_t rest = size - start;
        memcpy(event.data, text + start, rest < sizeof event.data ? rest : sizeof event.data);
        xcb.send_event(display, 0, root, PROPERTY_CHANGE, (const char *)&event);
        event.type = next;
    }
    xcb.flush(display);
}

int xcb_end_startup(const char *id)
{
    if (load() != 0) return -1;
    int number = 0, result = -1;
    connection *display = xcb.connect(NULL, &number);
    if (!xcb.connection_has_error(display)) {
        screen_iterator screens = xcb.setup_roots_iterator(xcb.get_setup(display));
        while (number-- > 0) xcb.screen_next(&screens);
        char *text = message(id);
        if (text) {
            broadcast(display, screens.data->root, text);
            // The reply shows that all earlier requests have arrived.
            atom(display, "_NET_STARTUP_INFO");
            result = 0;
        }
        free(text);
    }
    xcb.disconnect(display);
    return result;
}
