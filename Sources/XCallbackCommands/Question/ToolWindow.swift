import CLinux
import Glibc
import XCallbackLinux

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
