package import XCallbackLinux
import XCallbackPipeline

/// The programs that open URLs in the user's session: one after the other, until one has done it.
package struct DesktopTools: Sendable {
    /// A program, as it is asked.
    fileprivate enum Tool: Hashable, Sendable {
        /// The one that the user has chosen, which is believed.
        case chosen(String)
        case xdgOpen, gio
        /// The desktop's portal, which opens what a sandbox cannot (org.freedesktop.portal.OpenURI).
        case portal
    }

    /// The variable that tells `handle` which URL it must not get back.
    private static let mark = "XCALLBACK_HANDOVER"
    /// How long a program is waited for; one that still runs then has found an application, and may be it.
    fileprivate static let patience = Duration.seconds(5)

    private let tools: [Tool]

    /// Chooses the programs.
    ///
    /// - Parameter program: The one that the caller names, and no other. Without it, it is that of
    ///   `$XCALLBACK_OPENER`, else xdg-open, gio and the portal; gio goes first where xdg-open would find nothing.
    package init(_ program: String? = nil) {
        if let program = program ?? variable("XCALLBACK_OPENER") {
            tools = [.chosen(program)]
        } else {
            let isLost = [.missing, .asksNobody].contains(DesktopSession.current.xdgOpen)
            tools = isLost ? [.gio, .xdgOpen, .portal] : [.xdgOpen, .gio, .portal]
        }
    }

    /// Whether this process was started to open a URL that the command itself has handed to an opener.
    package static func hasComeBack(_ url: String) -> Bool { variable(mark) == url }

    /// Opens a URL.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - purpose: What it is, for people.
    /// - Throws: ``OpeningFailure`` if no program could.
    package func open(_ url: String, as purpose: String) throws(OpeningFailure) {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        var reasons: [String] = []
        // xdg-open would hand it to a browser, with all that it holds, and say that all is well.
        if tools.first?.isChosen == false, Self.takesBrowser(for: scheme) {
            reasons = [Self.noApplication]
        } else {
            for tool in tools {
                // The portal says that all is well before it looks for one.
                if tool == .portal, !DesktopSession.isSandboxed, SchemeOwner(asking: scheme).isNobodys {
                    reasons.append(Self.noApplication)
                    break
                }
                guard let reason = tool.failure(to: url, ["\(Self.mark)=\(url)"] + Self.desktopVariables) else {
                    return
                }
                reasons.append(reason)
                // The status may be that of the application, which must not be started twice.
                if tool == .xdgOpen, DesktopSession.current.xdgOpen == .asksXdgMime { break }
            }
        }
        throw OpeningFailure(
            "\(purpose) could not be opened: \(reasons.joined(separator: "; "))\n"
                + "'xdg-mime query default x-scheme-handler/\(scheme)' shows what opens '\(scheme)' URLs")
    }

    /// Opens a URL as a click does, with the first program only: what it starts may be this command.
    ///
    /// - Parameter url: The URL.
    /// - Returns: How the program has ended, and what people call it.
    package func click(_ url: String) -> (ending: ToolRun.Ending, name: String) {
        (tools[0].run(url, Self.desktopVariables).ending, tools[0].name)
    }

    /// Checks that the answer of an application would come back.
    ///
    /// With a program that the user has chosen it may come on another way.
    ///
    /// - Throws: ``OpeningFailure`` if no application opens the daemon's own URLs.
    package func checkReturn() throws(OpeningFailure) {
        let scheme = CallbackRules.answerScheme
        guard tools.first?.isChosen == false, SchemeOwner(asking: scheme).isNobodys else { return }
        throw OpeningFailure(
            "no application opens '\(scheme):' URLs, so no answer would arrive; nothing was opened\n"
                + "run 'xcallback register \(scheme)' once")
    }

    private static let noApplication = "no application has the scheme"

    /// Whether no application has a scheme, and xdg-open would take a browser for it.
    private static func takesBrowser(for scheme: String) -> Bool {
        DesktopSession.current.xdgOpen == .asksXdgMime && !["http", "https", "mailto"].contains(scheme)
            && !DesktopSession.isSandboxed && SchemeOwner(asking: scheme).isNobodys
    }

    /// What xdg-open needs to find the program of KDE, where a launcher has not passed it on.
    private static var desktopVariables: [String] {
        guard DesktopSession.current.xdgOpen == .lacksVersion else { return [] }
        return ["KDE_SESSION_VERSION=\(ToolRun.isInstalled("kde-open5") ? 5 : 6)"]
    }
}

/// Why nothing in the session could open a URL.
package struct OpeningFailure: Error, CustomStringConvertible {
    /// What is wrong and, on a line of its own, what to do.
    package let description: String

    fileprivate init(_ description: String) {
        self.description = description
    }
}

extension DesktopTools.Tool {
    private static let portalCall = [
        "busctl", "--user", "--timeout=5", "call", "org.freedesktop.portal.Desktop",
        "/org/freedesktop/portal/desktop", "org.freedesktop.portal.OpenURI", "OpenURI", "ssa{sv}", "",
    ]

    /// Has the program open a URL.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - environment: What the program's environment has besides, as `NAME=value`.
    /// - Returns: How it has ended, or that it still runs.
    fileprivate func run(_ url: String, _ environment: [String]) -> ToolRun {
        switch self {
        case .chosen(let program): start([program, url], environment)
        // What they write holds the URL, which is not for the journal.
        case .xdgOpen: start(["xdg-open", url], environment, isQuiet: true)
        case .gio: start(["gio", "open", url], environment, isQuiet: true)
        case .portal: ToolRun(asking: Self.portalCall + [url] + Self.portalOptions, limit: DesktopTools.patience)
        }
    }

    /// Why the program could not open a URL, for people; nil if it has.
    fileprivate func failure(to url: String, _ environment: [String]) -> String? {
        switch run(url, environment).ending {
        case .exited(0): nil
        case .running: self == .portal ? "\(name) does not answer" : nil
        case .exited(let status): "\(name) ended with status \(status)"
        case .notStarted(let cause): "cannot run \(name): \(cause)"
        }
    }

    private func start(_ words: [String], _ environment: [String], isQuiet: Bool = false) -> ToolRun {
        ToolRun(starting: words, environment: environment, isQuiet: isQuiet, limit: DesktopTools.patience)
    }

    /// What lets the application have the focus.
    private static var portalOptions: [String] {
        variable("XDG_ACTIVATION_TOKEN").map { ["1", "activation_token", "s", $0] } ?? ["0"]
    }

    /// What people call it.
    fileprivate var name: String {
        switch self {
        case .chosen(let program): "'\(program)'"
        case .xdgOpen: "'xdg-open'"
        case .gio: "'gio open'"
        case .portal: "the desktop's portal"
        }
    }

    /// Whether it is the one that the user has chosen.
    fileprivate var isChosen: Bool {
        if case .chosen = self { true } else { false }
    }
}
