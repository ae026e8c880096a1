import Glibc
import XCallbackLinux

/// The properties of the session that determine how URLs are opened.
package struct DesktopSession: Hashable {
    /// How xdg-open works in a session.
    package enum XdgOpen: Hashable {
        /// It is not installed.
        case missing
        /// It looks up the application itself.
        case asksXdgMime
        /// It uses gio, or a program that chooses in the same way.
        case asksGio
        /// It uses KDE, which reads the same files.
        case asksKDE
        /// It cannot choose a KDE program, because the version of KDE is unknown.
        case lacksVersion
        /// It looks up no application, because it finds neither a desktop nor a display.
        case noDesktop
    }

    /// How xdg-open works.
    package let xdgOpen: XdgOpen

    /// Examines a session.
    ///
    /// - Parameters:
    ///   - hasXdgOpen: Whether xdg-open is installed.
    ///   - environment: Returns the value of an environment variable.
    package init(hasXdgOpen: Bool, environment: (String) -> String?) {
        let desktops = (environment("XDG_CURRENT_DESKTOP") ?? "").uppercased().split(separator: ":")
        func isOne(of names: String...) -> Bool { desktops.contains { names.contains(String($0)) } }
        if !hasXdgOpen {
            xdgOpen = .missing
        } else if isOne(of: "KDE") {
            xdgOpen = (environment("KDE_SESSION_VERSION") ?? "").isEmpty ? .lacksVersion : .asksKDE
        } else if isOne(of: "GNOME", "CINNAMON", "X-CINNAMON", "MATE", "XFCE", "DEEPIN") {
            xdgOpen = .asksGio
        } else if (environment("DISPLAY") ?? environment("WAYLAND_DISPLAY") ?? "").isEmpty {
            xdgOpen = .noDesktop
        } else {
            xdgOpen = .asksXdgMime
        }
    }
}

extension DesktopSession {
    /// Whether the program runs in a sandbox, where only the sandbox's own applications are visible.
    package static var isSandboxed: Bool {
        access("/.flatpak-info", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 || variable("SNAP") != nil
    }

    /// The session in which the program runs.
    package static var current: DesktopSession {
        DesktopSession(hasXdgOpen: ToolRun.isInstalled("xdg-open"), environment: variable)
    }
}
