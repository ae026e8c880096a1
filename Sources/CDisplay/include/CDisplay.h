/// What the command tells an X display.
#pragma once

/// Ends a startup sequence (Startup Notification Protocol 0.1), so that nobody waits for a window that does not come.
///
/// libxcb is loaded for it, as it is there wherever windows are shown on an X display.
///
/// - Parameter id: What `DESKTOP_STARTUP_ID` has named it.
/// - Returns: 0 if the display was told; -1 if there is none, or no libxcb.
int xcb_end_startup(const char *id);
