import XCallbackLinux

/// The display of the user's service manager, from which the programs of the daemon have theirs.
///
/// GNOME and KDE tell the manager theirs; sway, i3 and startx do not.
enum ManagerDisplay {
    /// Whether the service manager has no display, although this session has one.
    static var isMissing: Bool {
        guard Menu.hasDisplay, ManagerScope.user.isRunning else { return false }
        let run = ToolRun(asking: ["systemctl", "--user", "show-environment"], limit: .seconds(5))
        guard run.ending == .exited(0) else { return false }
        return !run.output.split(separator: "\n").contains {
            $0.hasPrefix("DISPLAY=") || $0.hasPrefix("WAYLAND_DISPLAY=")
        }
    }

    /// The command that gives the session's display to the manager.
    static var command: String { ManagerScope.displayImport + (variable("XAUTHORITY") == nil ? "" : " XAUTHORITY") }

    /// The advice to run the command at the start of each session.
    static var advice: String {
        if variable("SWAYSOCK") != nil { return "in ~/.config/sway/config: exec \(command)" }
        if variable("I3SOCK") != nil { return "in ~/.config/i3/config: exec --no-startup-id \(command)" }
        return "in ~/.xinitrc, before the window manager: \(command)"
    }
}
