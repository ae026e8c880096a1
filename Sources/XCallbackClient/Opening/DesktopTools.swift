import XCallbackLinux
import XCallbackRouter
import XCallbackURL

/// The programs that open URLs in the user's session, tried in order until one succeeds.
package struct DesktopTools: Sendable {
    /// A program and its usage.
    fileprivate enum Tool: Hashable, Sendable {
        /// The program that the user has chosen; its result is trusted.
        case chosen(String)
        case xdgOpen, gio
        /// The desktop's portal, which opens URLs that a sandbox cannot (org.freedesktop.portal.OpenURI).
        case portal
    }

    /// The variable that names the URL that must not come back to `handle`.
    private static let mark = "XCALLBACK_HANDOVER"
    /// The time limit of a program; one that still runs then has found an application, or may be the application.
    fileprivate static let patience = Duration.seconds(5)

    private let tools: [Tool]

    /// Chooses the programs.
    ///
    /// - Parameter program: The only program to use. If nil: that of `$XCALLBACK_OPENER`, or xdg-open, gio and the portal;
    ///   gio comes first if xdg-open would find no application.
    package init(_ program: String? = nil) {
        if let program = program ?? variable("XCALLBACK_OPENER") {
            tools = [.chosen(program)]
        } else {
            let isLost = [.missing, .noDesktop].contains(DesktopSession.current)
            tools = isLost ? [.gio, .xdgOpen, .portal] : [.xdgOpen, .gio, .portal]
        }
    }

    /// Whether this process was started to open a URL that the command itself has passed to an opener.
    package static func hasComeBack(_ url: String) -> Bool { variable(mark) == url }

    /// Opens a URL.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - purpose: The description of the URL, for people.
    /// - Throws: ``OpeningFailure`` if no program could open it.
    package func open(_ url: String, as purpose: String) throws(OpeningFailure) {
        let scheme = try Self.scheme(of: url, purpose)
        var reasons: [String] = []
        // xdg-open would pass the complete URL to a browser, and report success.
        if tools.first?.isChosen == false, Self.takesBrowser(for: scheme) {
            reasons = [Self.noApplication]
        } else {
            for tool in tools {
                // The portal reports success before it looks for an application.
                if tool == .portal, !DesktopSession.isSandboxed, SchemeOwner(asking: scheme).hasNoHandler {
                    reasons.append(Self.noApplication)
                    break
                }
                guard let reason = tool.failure(to: url, ["\(Self.mark)=\(url)"] + Self.desktopVariables) else {
                    return
                }
                reasons.append(reason)
                // The status may be the application's, which must not be started twice.
                if tool == .xdgOpen, DesktopSession.current == .asksXdgMime { break }
            }
        }
        throw OpeningFailure(
            "\(purpose) could not be opened: \(reasons.joined(separator: "; "))\n"
                + "'xcallback doctor \(scheme):' shows what opens '\(scheme)' URLs",
            of: tools.first?.isChosen == true ? nil : url)
    }

    /// Returns the scheme of a URL that a daemon sent, in lower case.
    ///
    /// Another user's daemon can send anything: options, paths, and URLs that run code.
    ///
    /// - Throws: ``OpeningFailure`` if no application may get it.
    private static func scheme(of url: String, _ purpose: String) throws(OpeningFailure) -> String {
        let layout: URLLayout
        do throws(ActionURLError) {
            layout = try URLLayout(checking: url.utf8.span)
        } catch {
            throw OpeningFailure("\(purpose) was not opened: it has \(error)")
        }
        let scheme = String(url.utf8.prefix(layout.scheme.count)) ?? ""
        guard CallbackRules.isRefused(scheme: scheme) else { return scheme.lowercased() }
        throw OpeningFailure("\(purpose) was not opened: URLs of the scheme '\(scheme)' can run code")
    }

    /// Checks that the answer of an application would come back.
    ///
    /// With a program that the user has chosen, it may come back another way.
    ///
    /// - Throws: ``OpeningFailure`` if no application opens the daemon's own URLs.
    package func checkReturn() throws(OpeningFailure) {
        let scheme = CallbackRules.answerScheme
        guard tools.first?.isChosen == false, SchemeOwner(asking: scheme).hasNoHandler else { return }
        throw OpeningFailure(
            "no application opens '\(scheme):' URLs, so no answer would arrive; nothing was opened\n"
                + "run 'xcallback register \(scheme)' once")
    }

    private static let noApplication = "no application has the scheme"

    /// Whether no application has a scheme and xdg-open would therefore start a browser.
    private static func takesBrowser(for scheme: String) -> Bool {
        DesktopSession.current == .asksXdgMime && !["http", "https", "mailto"].contains(scheme)
            && !DesktopSession.isSandboxed && SchemeOwner(asking: scheme).hasNoHandler
    }

    /// The variables that xdg-open needs to find the KDE program, if the launcher has not passed them on.
    private static var desktopVariables: [String] {
        guard DesktopSession.current == .lacksVersion else { return [] }
        return ["KDE_SESSION_VERSION=\(ToolRun.isInstalled("kde-open5") ? 5 : 6)"]
    }
}

/// The reason why no program in the session could open a URL.
package struct OpeningFailure: Error, CustomStringConvertible {
    /// The problem and, on a line of its own, the remedy.
    package let description: String
    /// The URL that the openers could not open; nil if they were not started.
    package let url: String?

    fileprivate init(_ description: String, of url: String? = nil) {
        (self.description, self.url) = (description, url)
    }

    /// The problem without the remedy.
    package var problem: String { String(description.prefix { $0 != "\n" }) }
}

extension DesktopTools.Tool {
    private static let portalCall = [
        "busctl", "--user", "--timeout=5", "call", "org.freedesktop.portal.Desktop",
        "/org/freedesktop/portal/desktop", "org.freedesktop.portal.OpenURI", "OpenURI", "ssa{sv}", "",
    ]

    /// Runs the program for a URL.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - environment: Additional environment variables, as `NAME=value`.
    /// - Returns: How it ended, or that it is still running.
    fileprivate func run(_ url: String, _ environment: [String]) -> ToolRun {
        switch self {
        case .chosen(let program): start([program, url], environment)
        // Their output contains the URL, which must not get into the journal.
        case .xdgOpen: start(["xdg-open", url], environment, isQuiet: true)
        case .gio: start(["gio", "open", url], environment, isQuiet: true)
        case .portal: ToolRun(asking: Self.portalCall + [url] + Self.portalOptions, limit: DesktopTools.patience)
        }
    }

    /// Returns why the program could not open a URL, for people; nil if it did.
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

    /// The options that let the application take the focus.
    private static var portalOptions: [String] {
        variable("XDG_ACTIVATION_TOKEN").map { ["1", "activation_token", "s", $0] } ?? ["0"]
    }

    /// The name for people.
    fileprivate var name: String {
        switch self {
        case .chosen(let program): "'\(program)'"
        case .xdgOpen: "'xdg-open'"
        case .gio: "'gio open'"
        case .portal: "the desktop's portal"
        }
    }

    /// Whether the user has chosen it.
    fileprivate var isChosen: Bool {
        if case .chosen = self { true } else { false }
    }
}
