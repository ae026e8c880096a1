import CDisplay
import Glibc
import XCallbackLinux

/// The feedback of a launcher between a click and the window that follows, which does not always appear.
enum StartupSequence {
    /// Ends the sequence of this process, if a launcher has started one.
    ///
    /// On Wayland, where `XDG_ACTIVATION_TOKEN` names it, only a window could end it; there it expires.
    static func end() {
        guard let id = variable("DESKTOP_STARTUP_ID"), variable("DISPLAY") != nil else { return }
        _ = xcb_end_startup(id)
    }
}
