import CLinux
import Glibc
import XCallbackLinux

/// Asks the user with the first tool that works.
struct Questioner {
    /// How often a question is repeated if the answers come too early; then the answer is No.
    private static let roundLimit = 10
    /// The pause before it is repeated.
    private static let pause = Duration.milliseconds(300)
    /// How long a signal that has also ended the tool may take to arrive.
    private static let signalDelay = Duration.milliseconds(200)

    let title: String
    let lines: [String]

    /// Asks the user, after the questions of other processes.
    ///
    /// - Returns: The answer.
    /// - Throws: ``QuestionObstacle`` if no tool reaches the user.
    func ask() throws(QuestionObstacle) -> QuestionTool.Answer {
        // Without a display, the buttons of a notification may be invisible, too.
        guard Menu.hasDisplay else { throw .noDisplay }
        guard let turn = SharedFile("question.lock") else {
            throw QuestionObstacle("no lock file can be created in $XDG_RUNTIME_DIR or ~/.cache")
        }
        defer { withExtendedLifetime(turn) {} }
        let interruption: Interruption
        do throws(Failure) { interruption = try Interruption() } catch { throw QuestionObstacle(error.message) }
        var obstacles: [String] = []
        for tool in [QuestionTool.zenity, .kdialog] where ToolRun.isInstalled(tool.name) {
            do throws(QuestionObstacle) {
                return try ask(with: tool, interruption)
            } catch {
                obstacles.append(error.text)
            }
        }
        if obstacles.isEmpty { obstacles = ["neither zenity nor kdialog is installed"] }
        do throws(QuestionObstacle) {
            return try ask(with: try Self.findNotification(), interruption)
        } catch {
            throw QuestionObstacle((obstacles + [error.text]).joined(separator: ", and "))
        }
    }

    private func ask(
        with tool: QuestionTool, _ interruption: Interruption
    ) throws(QuestionObstacle) -> QuestionTool.Answer {
        for _ in 0..<Self.roundLimit {
            let ending: ToolWindow.Ending
            do throws(SystemError) {
                ending = try ToolWindow.show(tool, title: title, lines: lines).wait(interruption)
            } catch {
                throw QuestionObstacle("cannot start \(tool.name)")
            }
            guard let status = ending.status, let answer = tool.answer(status: status, output: ending.output) else {
                interruption.pause(Self.signalDelay)
                if !ending.errors.isEmpty { Terminal.printError(ending.errors.withVisibleControls) }
                throw QuestionObstacle("\(tool.name) failed")
            }
            if !ending.ignoresInput { return answer }
            interruption.pause(Self.pause)
        }
        return .no
    }

    /// Returns the notification tool that can ask.
    private static func findNotification() throws(QuestionObstacle) -> QuestionTool {
        guard ToolRun.isInstalled("notify-send") else { throw QuestionObstacle("notify-send is not installed") }
        guard let server = NotificationServer.ask() else {
            throw QuestionObstacle("no notification service can be reached")
        }
        guard server.hasButtons else { throw QuestionObstacle("the notification service does not support buttons") }
        return .notification(readsMarkup: server.readsMarkup)
    }
}

extension Interruption {
    /// Sleeps for a time; a signal meanwhile ends the process.
    fileprivate func pause(_ duration: Duration) {
        if case .signal(let number) = wait(atMost: duration) { Self.end(with: number) }
    }
}

/// The reason why the user cannot be asked.
struct QuestionObstacle: Error {
    /// The obstacle, in a few words.
    let text: String

    init(_ text: String) { self.text = text }

    /// No display can be reached: windows cannot be shown.
    static var noDisplay: QuestionObstacle {
        let help =
            ManagerScope.user.isRunning
            ? "run '\(ManagerScope.displayImport)' in your desktop session"
            : "neither DISPLAY nor WAYLAND_DISPLAY is set"
        return QuestionObstacle("no display can be reached: \(help)")
    }
}

/// A running tool that shows a question.
struct ToolWindow: ~Copyable {
    /// The end of a tool.
    struct Ending {
        /// The exit status; nil if a signal has killed it.
        let status: Int32?
        /// Its standard output.
        let output: String
        /// Its standard error.
        let errors: String
        /// Whether the answer came too early: keys and clicks at the moment a window appears were not meant for it.
        let ignoresInput: Bool
    }

    /// The number of bytes of output that are read.
    private static let outputLimit = 1024
    /// The time after the start in which answers do not count.
    private static let earlyTime = Duration.seconds(1)
    /// How long it may take to end after a signal.
    private static let patience = Duration.seconds(1)

    private let tool: QuestionTool
    private let processID: pid_t
    private let handle: Descriptor
    /// A file in memory for its standard output, and another for its standard error.
    private let output: Descriptor
    private let errors: Descriptor
    private let startTime: ContinuousClock.Instant

    /// Starts a tool.
    ///
    /// - Parameters:
    ///   - tool: The tool.
    ///   - title: The title of the window.
    ///   - lines: The lines of the question.
    /// - Returns: The tool.
    /// - Throws: ``SystemError`` if it cannot be started.
    static func show(_ tool: QuestionTool, title: String, lines: [String]) throws(SystemError) -> ToolWindow {
        let output = Descriptor(try SystemError.check("memfd_create") { xcb_memory_file("output") })
        let errors = Descriptor(try SystemError.check("memfd_create") { xcb_memory_file("errors") })
        let numbers = (output.number, errors.number)
        let own = tool.environment + Self.localeVariables
        let names = own.map { $0.prefix { $0 != "=" } + "=" }
        let inherited = inheritedVariables().filter { variable in !names.contains { variable.hasPrefix($0) } }
        let startTime = ContinuousClock.now
        let processID = try spawn(tool.command(title, lines), environment: inherited + own) { actions in
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, numbers.0, STDOUT_FILENO)
            posix_spawn_file_actions_adddup2(&actions, numbers.1, STDERR_FILENO)
        }
        return ToolWindow(
            tool: tool, processID: processID, handle: Descriptor(pidfd_open(processID, 0)), output: output,
            errors: errors, startTime: startTime)
    }

    /// The locale variables that let a tool show any question: GTK and GLib reject an argument with characters outside the
    /// locale's charset, and use ASCII if the locale is not installed.
    private static var localeVariables: [String] {
        let unicode = ["LC_ALL=C.UTF-8"]
        guard let locale = newlocale(1 << LC_CTYPE, "", nil) else { return unicode }
        defer { freelocale(locale) }
        // CODESET, which is a macro.
        guard let name = nl_langinfo_l(nl_item(LC_CTYPE << 16 | 14), locale) else { return unicode }
        return String(cString: name) == "UTF-8" ? [] : unicode
    }

    /// Waits until the tool ends; a signal that terminates this process ends the tool first.
    func wait(_ interruption: Interruption) -> Ending {
        if case .signal(let number) = interruption.wait(for: handle.number, atMost: nil) { end(with: number) }
        return ending(ignoresInput: ContinuousClock.now - startTime < Self.earlyTime)
    }

    /// Ends the tool, so that no question without a reader remains, and then this process.
    private func end(with signal: Int32) -> Never {
        kill(processID, tool.endingSignal)
        var member = pollfd(fd: handle.number, events: Int16(POLLIN), revents: 0)
        if poll(&member, 1, Int32(Self.patience / .milliseconds(1))) == 0 { kill(processID, SIGKILL) }
        Interruption.end(with: signal)
    }

    private func ending(ignoresInput: Bool) -> Ending {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        return Ending(
            status: status & 0x7F == 0 ? (status >> 8) & 0xFF : nil, output: Self.text(in: output),
            errors: Self.text(in: errors), ignoresInput: ignoresInput)
    }

    private static func text(in file: borrowing Descriptor) -> String {
        var bytes = [UInt8](repeating: 0, count: outputLimit)
        let count = pread(file.number, &bytes, bytes.count, 0)
        return String(decoding: bytes[..<max(count, 0)], as: UTF8.self)
    }
}
