import CLinux
import Dispatch
import Glibc
import Synchronization

/// A run of a system program by the command, until it exits or until a time limit.
package struct ToolRun {
    /// How the run ended.
    package enum Ending: Hashable {
        /// The program exited with a status; 128 plus the number of the signal if a signal killed it.
        case exited(Int32)
        /// It was still running at the time limit; it is killed if its output was requested.
        case running
        /// The program could not be started.
        case notStarted(String)
    }

    package let ending: Ending
    /// The standard output, if it was requested.
    package private(set) var output = ""

    /// The default limit of a program's output.
    package static let outputLimit = 65_536

    /// Runs a program and reads its output.
    ///
    /// - Parameters:
    ///   - arguments: The program, looked up in `PATH`, and its arguments.
    ///   - limit: The time limit, after which it is killed.
    ///   - size: The approximate maximum number of output bytes.
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
            output = String(decoding: try readAll(reading.number, until: deadline, atMost: size), as: UTF8.self)
            // Output beyond the limit raises SIGPIPE and does not block on a full pipe.
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

    /// Runs a program whose output goes to standard error.
    ///
    /// - Parameters:
    ///   - arguments: The program, looked up in `PATH`, and its arguments.
    ///   - environment: Additional environment variables, as `NAME=value`.
    ///   - isQuiet: Whether the output is discarded.
    ///   - limit: The time limit, after which the program continues on its own; it is reaped when it ends.
    package init(starting arguments: [String], environment: [String] = [], isQuiet: Bool = false, limit: Duration) {
        do throws(SystemError) {
            let process = try Self.start(
                arguments, output: isQuiet ? nil : STDERR_FILENO, showsErrors: !isQuiet, environment: environment)
            if let status = process.wait(until: .now + limit) {
                ending = .exited(status)
            } else {
                process.reapAtItsEnd()
                ending = .running
            }
        } catch {
            ending = .notStarted(systemMessage(error.code))
        }
    }

    /// A program that was started.
    private struct Process {
        /// What waits for the ends of programs that continued on their own, by their descriptors.
        private static let left = Mutex<[Int32: any DispatchSourceRead]>([:])

        let id: pid_t

        /// Returns its exit status; nil if it is still running at the deadline, if any.
        func wait(until deadline: ContinuousClock.Instant?) -> Int32? {
            guard let deadline else { return reap(0) }
            let handle = pidfd_open(id, 0)
            defer { close(handle) }
            guard isReady(handle, until: deadline) else { return nil }
            return reap(WNOHANG)
        }

        /// Reaps the program when it ends, so that the kernel does not keep it until this process ends.
        func reapAtItsEnd() {
            let handle = pidfd_open(id, 0)
            guard handle >= 0 else { return }
            Self.left.withLock { left in
                let source = DispatchSource.makeReadSource(fileDescriptor: handle)
                source.setEventHandler { @Sendable in
                    _ = reap(WNOHANG)
                    Self.left.withLock { $0.removeValue(forKey: handle)?.cancel() }
                }
                source.setCancelHandler { @Sendable in _ = close(handle) }
                source.activate()
                left[handle] = source
            }
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
        _ arguments: [String], output: Int32?, showsErrors: Bool, environment: [String]
    ) throws(SystemError) -> Process {
        // A program's notifications must not reach the service manager of this process.
        let names = environment.map { $0.prefix { $0 != "=" } + "=" } + ["NOTIFY_SOCKET="]
        let kept = inheritedVariables().filter { variable in !names.contains { variable.hasPrefix($0) } }
        let id = try spawn(arguments, environment: kept + environment) { actions in
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            if let output {
                posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
            } else {
                posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
            }
            if !showsErrors { posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) }
        }
        return Process(id: id)
    }

    /// Whether a program is in a value of `PATH`; without one, in that of this process.
    package static func isInstalled(_ name: String, in path: String? = nil) -> Bool {
        (path ?? variable("PATH") ?? "/usr/bin:/bin").split(separator: ":").contains { isExecutable("\($0)/\(name)") }
    }

    /// Whether a path is an executable file.
    package static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }
}

/// Reads a descriptor to its end, to a number of bytes, or to the end of a line.
package func readAll(
    _ descriptor: Int32, until deadline: ContinuousClock.Instant? = nil, atMost limit: Int, isLine: Bool = false
) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 16_384)
    while bytes.count < limit {
        if let deadline, !isReady(descriptor, until: deadline) { break }
        let count = Int(try SystemError.check("read") { Int32(read(descriptor, &part, part.count)) })
        bytes += part[..<count]
        if count == 0 || isLine && part[..<count].contains(UInt8(ascii: "\n")) { break }
    }
    return Array(bytes.prefix(limit))
}

/// Waits until a descriptor is readable; returns false at the deadline.
package func isReady(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> Bool {
    while true {
        let left = max(ContinuousClock.now.duration(to: deadline), .zero)
        var members = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        let result = poll(&members, 1, Int32(left / .milliseconds(1)))
        if result >= 0 || errno != EINTR { return result > 0 }
    }
}
