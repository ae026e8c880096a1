import CMeasure
import Foundation
import Glibc
import Synchronization

/// A started program, which runs until it is stopped.
final class ChildProcess {
    /// The description of a program to start.
    struct Launch {
        /// A path, or a name that is searched in `PATH`.
        var program: String
        var arguments: [String] = []
        /// The name that the program gets as its own, if it matters.
        var name: String?
        var environment: [String: String] = [:]
        /// The log file for its messages.
        var log: String
        /// Whether standard output is read here instead of being written to the log.
        var isRead = false
    }

    /// The processes that a signal to the benchmark must end, too.
    static let running = Mutex<Set<pid_t>>([])

    let identifier: pid_t
    /// The monotonic time just before the start, in nanoseconds.
    let started: UInt64
    private let launch: Launch
    private let input: FileHandle
    private let output: FileHandle
    private var status: Int32?

    /// Starts a program.
    init(_ launch: Launch) throws {
        let (childInput, input) = try Self.makePipe()
        let (output, childOutput) = try Self.makePipe()
        self.launch = launch
        self.input = input
        self.output = output
        (identifier, started) = try Self.spawn(
            launch, input: childInput.fileDescriptor, output: childOutput.fileDescriptor
        )
        let identifier = identifier
        Self.running.withLock { _ = $0.insert(identifier) }
    }

    /// Creates a pipe that programs do not inherit by accident, which would keep it open.
    private static func makePipe() throws -> (reading: FileHandle, writing: FileHandle) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw BenchmarkError("cannot make a pipe: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (
            FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
            FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        )
    }

    private static func spawn(_ launch: Launch, input: Int32, output: Int32) throws -> (pid_t, started: UInt64) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_addopen(&actions, 2, launch.log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, launch.isRead ? output : 2, 1)

        // The benchmark ignores some signals and handles them elsewhere; programs must not inherit that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

        let environment = ProcessInfo.processInfo.environment.merging(launch.environment) { $1 }
        var identifier = pid_t()
        var started: UInt64 = 0
        let fault = withStrings([launch.name ?? launch.program] + launch.arguments) { arguments in
            withStrings(environment.map { "\($0)=\($1)" }) { variables in
                started = measure_now()
                return posix_spawnp(&identifier, launch.program, &actions, &attributes, arguments, variables)
            }
        }
        guard fault == 0 else {
            throw BenchmarkError("cannot start '\(launch.program)': \(String(cString: strerror(fault)))")
        }
        return (identifier, started)
    }

    /// Waits for a line of output.
    func readLine() throws -> String {
        var line: [UInt8] = []
        while let byte = try output.read(upToCount: 1)?.first {
            guard byte != UInt8(ascii: "\n") else { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        throw failure()
    }

    /// Waits until the program succeeds, and returns its output.
    func readAll() throws -> Data {
        let text = try output.readToEnd() ?? Data()
        try finish()
        return text
    }

    /// Closes the program's input, and waits until the program succeeds.
    func finish() throws {
        try input.close()
        guard wait(isPatient: true) == 0 else { throw failure() }
    }

    /// Sends the program a signal, SIGKILL after ten seconds, and waits until it has ended.
    func end(by signal: Int32 = SIGTERM) {
        guard status == nil else { return }
        kill(identifier, signal)
        for _ in 0..<5000 where wait(isPatient: false) == nil { usleep(2000) }
        guard status == nil else { return }
        kill(identifier, SIGKILL)
        _ = wait(isPatient: true)
    }

    /// Whether the program has ended.
    var hasEnded: Bool { wait(isPatient: false) != nil }

    /// Returns an error with the log of the failed program.
    func failure() -> BenchmarkError {
        end()
        let log = (try? String(contentsOfFile: launch.log, encoding: .utf8)) ?? ""
        let status = status ?? 0
        let end = status & 0x7f == 0 ? "exit status \(status >> 8)" : "signal \(status & 0x7f)"
        return BenchmarkError("'\(launch.program)' has failed, \(end):\n\(log.suffix(2000))")
    }

    /// Returns the wait status of the program, if it has ended.
    private func wait(isPatient: Bool) -> Int32? {
        guard status == nil else { return status }
        var found: Int32 = 0
        while true {
            let result = waitpid(identifier, &found, isPatient ? 0 : WNOHANG)
            if result < 0 && errno == EINTR { continue }
            guard result == identifier else { return nil }
            status = found
            let identifier = identifier
            Self.running.withLock { _ = $0.remove(identifier) }
            return found
        }
    }
}

/// Calls a function with C strings, as a list that ends with NULL.
func withStrings<Result>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies + [nil])
}

/// An error that ends the benchmark.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    /// Creates an error with a message for people.
    init(_ description: String) {
        self.description = description
    }
}
