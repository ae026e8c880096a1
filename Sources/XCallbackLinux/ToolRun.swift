import CLinux
import Glibc

/// A program of the system that the command asks for something, to its end or for a time.
package struct ToolRun {
    /// How it has ended.
    package enum Ending: Hashable {
        /// By itself, with a status; 128 and the number of the signal if one ended it.
        case exited(Int32)
        /// It still ran when its time was over; who asked for its output has killed it then.
        case running
        /// It could not be started.
        case notStarted(String)
    }

    package let ending: Ending
    /// What it wrote on standard output, as far as that was wanted.
    package private(set) var output = ""

    /// How much of a program's output is taken.
    package static let outputLimit = 65_536

    /// Runs a program and takes its output.
    ///
    /// - Parameters:
    ///   - arguments: The program, looked for in `PATH`, and its arguments.
    ///   - limit: How long it may take; then it is killed.
    ///   - size: How many bytes of its output are taken, or a few more.
    package init(asking arguments: [String], limit: Duration = .seconds(10), atMost size: Int = outputLimit) {
        do throws(SystemError) {
            let pipe = try makePipe()
            let reading = Descriptor(pipe.reading)
            let process: Process
            do {
                defer { close(pipe.writing) }
                process = try Self.start(
                    arguments, output: pipe.writing, showsErrors: false, environment: ["LC_ALL=C"])
            }
            let deadline = ContinuousClock.now + limit
            output = Self.readAll(reading.number, until: deadline, atMost: size)
            // What is written beyond that meets SIGPIPE, instead of a pipe that is full.
            _ = consume reading
            if let status = process.wait(until: deadline) {
                ending = .exited(status)
            } else {
                kill(process.id, SIGKILL)
                _ = process.wait(until: nil)
                ending = .running
            }
        } catch {
            ending = .notStarted(systemMessage(error.code))
        }
    }

    /// Runs a program whose output is the command's own.
    ///
    /// - Parameters:
    ///   - arguments: The program, looked for in `PATH`, and its arguments.
    ///   - environment: What its environment has besides the command's own, as `NAME=value`.
    ///   - isQuiet: Whether what it writes goes nowhere.
    ///   - limit: How long it is waited for; then it is left alone.
    package init(starting arguments: [String], environment: [String] = [], isQuiet: Bool = false, limit: Duration) {
        do throws(SystemError) {
            let process = try Self.start(
                arguments, output: isQuiet ? nil : STDERR_FILENO, showsErrors: !isQuiet, environment: environment)
            ending = process.wait(until: .now + limit).map { .exited($0) } ?? .running
        } catch {
            ending = .notStarted(systemMessage(error.code))
        }
    }

    /// Starts a program that lives on its own, in a session of its own, and writes nowhere.
    ///
    /// - Parameter arguments: The program, looked for in `PATH`, and its arguments.
    /// - Throws: ``SystemError`` if it cannot be started.
    package static func leave(_ arguments: [String]) throws(SystemError) {
        _ = try start(arguments, output: nil, showsErrors: false, isSession: true, environment: [])
    }

    /// A program that was started.
    private struct Process {
        let id: pid_t

        /// Its exit status; nil if it runs beyond a time, if there is one.
        func wait(until deadline: ContinuousClock.Instant?) -> Int32? {
            guard let deadline else { return reap(0) }
            let handle = pidfd_open(id, 0)
            defer { close(handle) }
            guard isReady(handle, until: deadline) else { return nil }
            return reap(WNOHANG)
        }

        private func reap(_ options: Int32) -> Int32? {
            var status: Int32 = 0
            while true {
                let result = waitpid(id, &status, options)
                if result == id { return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F }
                if result == 0 || errno != EINTR { return nil }
            }
        }
    }

    private static func start(
        _ arguments: [String], output: Int32?, showsErrors: Bool = true, isSession: Bool = false, environment: [String]
    ) throws(SystemError) -> Process {
        // What a program has to say to a service manager is nothing for that of this process.
        let names = environment.map { $0.prefix { $0 != "=" } + "=" } + ["NOTIFY_SOCKET="]
        let kept = inheritedVariables().filter { variable in !names.contains { variable.hasPrefix($0) } }
        let id = try spawn(arguments, environment: kept + environment) { actions, attributes in
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            if let output {
                posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
            } else {
                posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
            }
            if !showsErrors { posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) }
            // The command ignores SIGPIPE, and its threads block signals: programs would inherit that.
            var signals = sigset_t()
            sigemptyset(&signals)
            posix_spawnattr_setsigmask(&attributes, &signals)
            sigaddset(&signals, SIGPIPE)
            posix_spawnattr_setsigdefault(&attributes, &signals)
            let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | (isSession ? xcb_spawn_session : 0)
            posix_spawnattr_setflags(&attributes, Int16(flags))
        }
        return Process(id: id)
    }

    private static func readAll(
        _ descriptor: Int32, until deadline: ContinuousClock.Instant, atMost size: Int
    ) -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while bytes.count < size, isReady(descriptor, until: deadline) {
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            bytes += part[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a program is in `PATH`.
    package static func isInstalled(_ name: String) -> Bool {
        (variable("PATH") ?? "/usr/bin:/bin").split(separator: ":").contains { isExecutable("\($0)/\(name)") }
    }

    /// Whether there is a program at a path.
    package static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }
}

/// Waits until a descriptor can be read; false if that takes too long.
private func isReady(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> Bool {
    while true {
        let left = max(ContinuousClock.now.duration(to: deadline), .zero)
        var members = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        let result = poll(&members, 1, Int32(left / .milliseconds(1)))
        if result >= 0 || errno != EINTR { return result > 0 }
    }
}
