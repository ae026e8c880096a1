import Glibc

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
            var pipe = try Pipe()
            let process = try SpawnedProcess(
                arguments, with: ["LC_ALL=C"], streams: (-1, pipe.numbers.writing, -1))
            pipe.writing = nil
            let deadline = ContinuousClock.now + limit
            let bytes = try? readAll(pipe.numbers.reading, until: deadline, atMost: size)
            output = String(decoding: bytes ?? [], as: UTF8.self)
            // Output beyond the limit raises SIGPIPE and does not block on a full pipe.
            pipe.reading = nil
            let isLate = !process.ends(by: deadline)
            if isLate { process.send(signal: SIGKILL) }
            let status = process.reap().status
            ending = isLate ? .running : .exited(status)
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
        let errors = isQuiet ? -1 : STDERR_FILENO
        do throws(SystemError) {
            let process = try SpawnedProcess(arguments, with: environment, streams: (-1, errors, errors))
            if process.ends(by: .now + limit) {
                ending = .exited(process.reap().status)
            } else {
                process.reapAtItsEnd()
                ending = .running
            }
        } catch {
            ending = .notStarted(systemMessage(error.code))
        }
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
