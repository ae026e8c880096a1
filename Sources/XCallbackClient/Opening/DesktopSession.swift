import Glibc
import XCallbackLinux

/// The session in which the program runs, as far as it decides how URLs are opened.
package struct DesktopSession: Hashable {
    /// What xdg-open does in a session.
    package enum XdgOpen: Hashable {
        /// It is not installed.
        case missing
        /// It looks for the application itself.
        case asksXdgMime
        /// It leaves it to gio, or a program that decides in the same way.
        case asksGio
        /// It leaves it to KDE, which reads the same files.
        case asksKDE
        /// It finds no program of KDE, as nothing tells KDE's version.
        case lacksVersion
        /// It looks for no application, as it sees neither a desktop nor a display.
        case asksNobody
    }

    /// What xdg-open does.
    package let xdgOpen: XdgOpen

    /// Looks at a session.
    ///
    /// - Parameters:
    ///   - hasXdgOpen: Whether xdg-open is installed.
    ///   - environment: Looks a variable of the environment up.
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
            xdgOpen = .asksNobody
        } else {
            xdgOpen = .asksXdgMime
        }
    }
}

extension DesktopSession {
    /// Whether the program runs in a sandbox, which sees only the applications in it.
    package static var isSandboxed: Bool {
        access("/.flatpak-info", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 || variable("SNAP") != nil
    }

    /// The session in which the program runs.
    package static var current: DesktopSession {
        DesktopSession(hasXdgOpen: ToolRun.isInstalled("xdg-open"), environment: variable)
    }
}
