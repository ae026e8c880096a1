import Glibc
import XCallbackLinux
import XCallbackWire

/// How xdg-open works in a session.
package enum DesktopSession: Hashable {
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

    /// Examines a session.
    ///
    /// - Parameters:
    ///   - hasXdgOpen: Whether xdg-open is installed.
    ///   - environment: Returns the value of an environment variable.
    package init(hasXdgOpen: Bool, environment: (String) -> String?) {
        let desktops = (environment("XDG_CURRENT_DESKTOP") ?? "").uppercased().split(separator: ":")
        func isOne(of names: String...) -> Bool { desktops.contains { names.contains(String($0)) } }
        if !hasXdgOpen {
            self = .missing
        } else if isOne(of: "KDE") {
            self = (environment("KDE_SESSION_VERSION") ?? "").isEmpty ? .lacksVersion : .asksKDE
        } else if isOne(of: "GNOME", "CINNAMON", "X-CINNAMON", "MATE", "XFCE", "DEEPIN") {
            self = .asksGio
        } else if (environment("DISPLAY") ?? environment("WAYLAND_DISPLAY") ?? "").isEmpty {
            self = .noDesktop
        } else {
            self = .asksXdgMime
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

    /// Why xdg-open does not open links of a scheme; nil if it does.
    package static func problem(of scheme: String) -> String? {
        guard current == .asksXdgMime, scheme.contains(where: \.isNumber) else { return nil }
        // Versions before 1.2 expect letters alone.
        let script = try? SmallFile("/usr/bin/xdg-open", atMost: 1 << 20).text
        guard script?.contains(text: "'^[[:alpha:]+") == true else { return nil }
        return "xdg-open before 1.2 takes \(scheme): links for files, because the scheme has a digit: update xdg-utils"
    }
}

/// The applications that the desktop's tools would start for a scheme.
package struct SchemeOwner: Hashable {
    /// The answer of a tool.
    package enum Answer: Hashable {
        /// The tool is not installed, or does not answer.
        case unknown
        /// There is no application.
        case none
        /// The application with a desktop entry of this name.
        case entry(String)
    }

    /// The scheme, in lower case.
    package let scheme: String
    /// The answer of xdg-mime, which xdg-open uses on desktops that it does not recognize.
    package let xdg: Answer
    /// The answer of gio, which GTK programs use, and xdg-open on some desktops.
    package let gio: Answer

    /// Creates the answers for a scheme.
    package init(scheme: String, xdg: Answer, gio: Answer) {
        self.scheme = scheme
        self.xdg = xdg
        self.gio = gio
    }

    /// Queries the installed tools.
    ///
    /// - Parameter scheme: The scheme, or the MIME type of files.
    package init(asking scheme: String) {
        let type = scheme.contains("/") ? scheme : "x-scheme-handler/\(scheme)"
        self.init(
            scheme: scheme, xdg: Self.answer(of: ["xdg-mime", "query", "default", type]) { $0 },
            gio: Self.answer(of: ["gio", "mime", type]) { line in
                // `Default application for “x-scheme-handler/demo”: app.desktop`, or another sentence.
                line.ranges(of: ": ").first.map { line[$0.upperBound...] }
            })
    }

    /// Whether at least one tool answers, and none finds an application.
    package var hasNoHandler: Bool { allAnswer(.none) }

    /// Whether at least one tool answers, and all give the same answer.
    package func allAnswer(_ answer: Answer) -> Bool {
        let answers = [xdg, gio].filter { $0 != .unknown }
        return !answers.isEmpty && answers.allSatisfy { $0 == answer }
    }

    private static func answer(of tool: [String], reading: (Substring) -> Substring?) -> Answer {
        guard ToolRun.isInstalled(tool[0]) else { return .unknown }
        let run = ToolRun(asking: tool)
        guard case .exited = run.ending else { return .unknown }
        guard let name = run.output.split(separator: "\n").first.flatMap(reading), name.hasSuffix(".desktop") else {
            return .none
        }
        return .entry(String(name))
    }
}
