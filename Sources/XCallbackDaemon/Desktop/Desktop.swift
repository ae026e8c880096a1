import Glibc
import Logging
import XCallbackEventLoop
import XCallbackPrograms

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
        start([program, url], tokens, title: "opener of a callback", on: loop) { error, loop in
            guard loop.takeLogLine(of: geteuid(), .desktop) else { return }
            logger.error("a callback could not be opened", metadata: ["error": "\(error)", "program": "\(program)"])
            tell("The callback could not be opened", "'\(program)' cannot be run: \(error)", on: loop)
        }
    }

    /// Shows a notification, if there is a program for that.
    ///
    /// - Parameters:
    ///   - title: What it is about.
    ///   - text: What there is to say.
    ///   - loop: The loop that starts the program.
    func tell(_ title: String, _ text: String, on loop: isolated EventLoop) {
        start(DesktopNotice.command(title, text), [], title: "notification", on: loop) { error, _ in
            logger.debug("no notification is shown", metadata: ["error": "\(error)"])
        }
    }

    /// Starts a program of the session, which the sandbox of the daemon is not for.
    private func start(
        _ arguments: [String], _ variables: [String], title: String, on loop: isolated EventLoop,
        failed: @escaping @Sendable (any Error, isolated EventLoop) -> Void
    ) {
        var command = ChildCommand(
            arguments: arguments.map { Array($0.utf8) },
            environment: ProgramEnvironment.session(and: Self.variables) + variables.map { Array($0.utf8) })
        command.isDetached = true
        let program = command
        // A daemon that is told to stop meanwhile starts it all the same.
        loop.beginObligation()
        Task.immediate(executorPreference: loop.executor) {
            defer { loop.endObligation() }
            do {
                try await UnitRunner(isRequired: false, logger).start(program, title: title, on: loop)
            } catch {
                failed(error, loop)
            }
        }
    }
}
