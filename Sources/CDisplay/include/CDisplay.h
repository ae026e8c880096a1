/// The messages of the command to an X display.
#pragma once

/// Ends a startup sequence (Startup Notification Protocol 0.1), so that the desktop does not wait for a window.
///
/// This loads libxcb, which is installed wherever windows are shown on an X display.
///
/// - Parameter id: The value of `DESKTOP_STARTUP_ID`.
/// - Returns: 0 if the display got the message; -1 without a display or libxcb.
int xcb_end_startup(const char *id);
