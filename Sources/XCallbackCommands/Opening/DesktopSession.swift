import Glibc
import XCallbackEventLoop

/// The session in which the command runs, as far as it decides how URLs are opened.
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

    /// What becomes of URLs of a scheme in the session: how each way ends, for people.
    ///
    /// - Parameter owner: Which applications the tools know.
    /// - Returns: A row for each way: what opens, and what that does.
    package func forecast(_ owner: SchemeOwner) -> [[String]] {
        let xdg = forecastOfXdgOpen(owner)
        let gio = Self.text(owner.gio, missing: "is not installed (package libglib2.0-bin)")
        return [
            ["xdg-open", xdg], ["gio open", gio],
            [
                "a browser",
                "asks you, then the desktop's portal, or does what xdg-open (Chromium) or gio (Firefox) does",
            ],
        ]
    }

    private func forecastOfXdgOpen(_ owner: SchemeOwner) -> String {
        switch xdgOpen {
        case .missing: "is not installed (package xdg-utils)"
        case .asksXdgMime: Self.text(owner.xdg, missing: "cannot be told: xdg-mime is not there")
        case .asksGio: Self.text(owner.gio, missing: "cannot be told: it asks gio, which is not installed")
        case .asksKDE: "leaves it to KDE, which reads the same files"
        case .lacksVersion: "starts nothing: it is KDE's session, but $KDE_SESSION_VERSION is not set"
        case .asksNobody:
            "starts nothing: this session has neither a desktop ($XDG_CURRENT_DESKTOP) nor a display ($DISPLAY)"
        }
    }

    private static func text(_ answer: SchemeOwner.Answer, missing: String) -> String {
        switch answer {
        case .unknown: missing
        case .none: "starts nothing: no application has the scheme"
        case .entry(DesktopEntry.name): "starts xcallback"
        case .entry(let name): "starts another application (\(name))"
        }
    }
}

extension DesktopSession {
    /// Whether the command runs in a sandbox, which sees only the applications in it.
    static var isSandboxed: Bool {
        access("/.flatpak-info", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 || variable("SNAP") != nil
    }

    /// The session in which the command runs.
    static var current: DesktopSession {
        DesktopSession(hasXdgOpen: ToolRun.isInstalled("xdg-open"), environment: variable)
    }
}
