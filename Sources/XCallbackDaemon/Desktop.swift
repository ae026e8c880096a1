import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackEventLoop

/// The user's session, as far as the daemon acts in it where no command does.
struct Desktop {
    /// What programs of the session need besides what every program gets.
    private static let variables = [
        "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "DESKTOP_SESSION", "LC_ALL",
    ]

    /// Where it is told what cannot be done.
    let logger: Logger

    /// Creates the session.
    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Opens a URL with `$XCALLBACK_OPENER`, or else with xdg-open.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - token: What lets the application have the focus.
    ///   - loop: The loop that starts the program.
    func open(_ url: String, token: String?, on loop: isolated EventLoop) {
        let program = getenv("XCALLBACK_OPENER").map { String(cString: $0) } ?? "xdg-open"
        // The same for Wayland and X11.
        let tokens = token.map { ["XDG_ACTIVATION_TOKEN=\($0)", "DESKTOP_STARTUP_ID=\($0)"] } ?? []
        do throws(SystemError) {
            try start([program, url], tokens, on: loop)
        } catch {
            logger.error("a callback could not be opened", metadata: ["error": "\(error)", "program": "\(program)"])
            tell("The callback could not be opened", "'\(program)' cannot be run: \(error)", on: loop)
        }
    }

    /// Shows a notification, if there is a program for that.
    ///
    /// - Parameters:
    ///   - title: What it is about.
    ///   - text: What there is to say; elements of HTML in it are shown as they are.
    ///   - loop: The loop that starts the program.
    func tell(_ title: String, _ text: String, on loop: isolated EventLoop) {
        do throws(SystemError) {
            try start(["notify-send", "--app-name=xcallback", "--", title, Self.escaped(text)], [], on: loop)
        } catch {
            logger.debug("no notification is shown", metadata: ["error": "\(error)"])
        }
    }

    private func start(
        _ arguments: [String], _ variables: [String], on loop: isolated EventLoop
    ) throws(SystemError) {
        var command = ChildCommand(
            arguments: arguments.map { Array($0.utf8) },
            environment: ProgramEnvironment.session(and: Self.variables) + variables.map { Array($0.utf8) })
        command.isDetached = true
        try loop.start(command)
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
        return result
    }
}
