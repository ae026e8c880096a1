/// A notification of the desktop that is renewed in place and has a button "Cancel".
///
/// It keeps a connection to the session's bus, because only the connection that has sent a notification may renew it (GNOME
/// Shell), and is told of its button. libsystemd is loaded for it; without that library there is no notification.
#pragma once

#include <stdint.h>

enum xcb_notice_state {
    XCB_NOTICE_SHOWN,
    /// The user has pressed the button.
    XCB_NOTICE_PRESSED,
    /// The user has closed it, or the bus is gone.
    XCB_NOTICE_CLOSED,
};

struct xcb_notice {
    void *bus;
    /// Its ID in the notification server; 0 before it is shown.
    uint32_t id;
    enum xcb_notice_state state;
};

/// Connects to the session's bus. The memory must stay where it is until the notification is closed.
///
/// Returns -1 if there is none, or no libsystemd.
int xcb_notice_open(struct xcb_notice *notice);

/// Shows the notification, or renews it; returns -1 if the server does not do that within a second.
int xcb_notice_show(struct xcb_notice *notice, const char *title, const char *text);

/// Reads what the server has said, without waiting.
enum xcb_notice_state xcb_notice_update(struct xcb_notice *notice);

/// Removes the notification, and closes the connection.
void xcb_notice_close(struct xcb_notice *notice);
