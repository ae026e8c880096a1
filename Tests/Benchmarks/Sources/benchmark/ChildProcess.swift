import CMeasure
import Foundation
import Glibc

/// A started program, which runs until it is stopped.
final class ChildProcess {
    let identifier: pid_t
    /// The monotonic time just before the start, in nanoseconds.
    let started: UInt64
    /// The log file for its messages.
    let log: String
    private let program: String
    private let input: FileHandle
    private let output: FileHandle
    private var status: Int32?

    /// Starts a program by its path, or by a name that is searched in `PATH`.
    ///
    /// Its output is read here, or written to the log, like its messages.
    init(_ program: String, _ arguments: [String], environment: [String: String], log: String, isRead: Bool) throws {
        let (childInput, input) = try Self.makePipe()
        let (output, childOutput) = try Self.makePipe()
        self.program = program
        self.log = log
        self.input = input
        self.output = output

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, childInput.fileDescriptor, 0)
        posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, isRead ? childOutput.fileDescriptor : 2, 1)

        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var identifier = pid_t()
        var started: UInt64 = 0
        let fault = Self.withStrings([program] + arguments) { arguments in
            Self.withStrings(variables) { variables in
                started = measure_now()
                return posix_spawnp(&identifier, program, &actions, nil, arguments, variables)
            }
        }
        guard fault == 0 else {
            throw BenchmarkError("cannot start '\(program)': \(String(cString: strerror(fault)))")
        }
        self.identifier = identifier
        self.started = started
    }

    /// Creates a pipe that programs do not inherit by accident, which would keep it open.
    private static func makePipe() throws -> (reading: FileHandle, writing: FileHandle) {
        var ends: [Int32] = [-1, -1]
        guard measure_pipe(&ends) == 0 else { throw BenchmarkError.system("cannot make a pipe") }
        return (
            FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
            FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        )
    }

    /// Calls a function with C strings, as a list that ends with NULL.
    private static func withStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
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

    /// Closes the program's input, waits until the program succeeds, and returns its output.
    func readAll() throws -> Data {
        try input.close()
        let text = try output.readToEnd() ?? Data()
        guard wait(isPatient: true) == 0 else { throw failure() }
        return text
    }

    /// Terminates the program, and waits until it has ended.
    func end() {
        guard status == nil else { return }
        kill(identifier, SIGTERM)
        _ = wait(isPatient: true)
    }

    /// Whether the program has ended.
    var hasEnded: Bool { wait(isPatient: false) != nil }

    /// Returns an error with the log of the failed program.
    func failure() -> BenchmarkError {
        end()
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        let status = status ?? 0
        let end = status & 0x7f == 0 ? "exit status \(status >> 8)" : "signal \(status & 0x7f)"
        return BenchmarkError("'\(program)' has failed, \(end):\n\(text.suffix(2000))")
    }

    /// Returns the wait status of the program, if it has ended.
    private func wait(isPatient: Bool) -> Int32? {
        guard status == nil else { return status }
        var found: Int32 = 0
        guard waitpid(identifier, &found, isPatient ? 0 : WNOHANG) == identifier else { return nil }
        status = found
        return found
    }
}
