import CDisplay
import Glibc
import XCallbackLinux

/// What a launcher shows between a click and the window that follows: it waits for one, which is not always to come.
enum StartupSequence {
    /// Ends the one of this process, if a launcher has begun one.
    ///
    /// On Wayland, where `XDG_ACTIVATION_TOKEN` names it, only a window could do so; there it ends by itself.
    static func end() {
        guard let id = variable("DESKTOP_STARTUP_ID"), variable("DISPLAY") != nil else { return }
        _ = xcb_end_startup(id)
    }
}
