import Glibc
import XCallbackEventLoop

/// The program that opens URLs in the user's session.
struct DesktopOpener {
    /// The variable that tells `handle` which URL it must not get back.
    private static let mark = "XCALLBACK_HANDOVER"
    /// How long the program is waited for: one that still runs then has found an application, and may be it.
    private static let patience = Duration.seconds(5)

    /// The program, and what stands before the URL.
    let command: [String]

    /// Chooses the program.
    ///
    /// - Parameter program: The one that the command line names. Without it, it is that of `$XCALLBACK_OPENER`, else
    ///   xdg-open, or gio where xdg-open would find no application.
    init(_ program: String?) {
        if let program = program ?? variable("XCALLBACK_OPENER") {
            command = [program]
        } else {
            let isLost = [.missing, .asksNobody].contains(DesktopSession.current.xdgOpen)
            command = isLost && ToolRun.isInstalled("gio") ? ["gio", "open"] : ["xdg-open"]
        }
    }

    /// Whether this process was started to open a URL that the command itself has handed to an opener.
    static func hasComeBack(_ url: String) -> Bool { variable(mark) == url }

    /// Opens a URL.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - purpose: What it is, for people.
    /// - Throws: ``Failure`` if the program says that it could not.
    func open(_ url: String, as purpose: String) throws(Failure) {
        let run = ToolRun(starting: command + [url], environment: ["\(Self.mark)=\(url)"], limit: Self.patience)
        let reason: String
        switch run.ending {
        case .running, .exited(0): return
        case .exited(let status): reason = "'\(command[0])' ended with status \(status)"
        case .notStarted(let cause): reason = "'\(command[0])' cannot be run: \(cause)"
        }
        let scheme = url.prefix { $0 != ":" }
        throw Failure(
            .errorAnswer,
            "\(purpose) could not be opened: \(reason)\n"
                + "see what opens '\(scheme)' URLs with 'xdg-mime query default x-scheme-handler/\(scheme)'")
    }
}
