import Glibc
import XCallbackTesting

/// What a program that has ended left behind.
struct ProgramResult: Hashable {
    /// The exit status; 128 and the number of the signal if one ended it.
    var status: Int32
    var output = ""
    var errors = ""
}

/// One of the package's programs, running with pipes for its output; it is killed if the test forgets it.
final class SpawnedProgram {
    private let process: ChildProcess
    /// The folder of the pipes.
    private let folder: TemporaryDirectory
    private let output: Int32
    private let errors: Int32

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - name: Its name beside the tests.
    ///   - arguments: Its arguments.
    ///   - environment: Its whole environment, as `NAME=value`.
    ///   - directory: Where it runs.
    ///   - file: Where its standard output goes instead of the pipe.
    /// - Throws: `TestFailure` if it cannot be started.
    init(
        _ name: String, _ arguments: [String], environment: [String] = [], in directory: String,
        output file: String? = nil
    ) throws {
        let folder = try TemporaryDirectory()
        let pipes = try ["output", "errors"].map { try makePipe(folder.path(of: $0)) }
        // Nobody writes to the first one.
        if file != nil { try useNothing(for: pipes[0]) }
        process = try ChildProcess(
            ["/usr/bin/env", "-C", directory, RunningDaemon.program(name)] + arguments, environment: environment,
            output: file ?? folder.path(of: "output"), error: folder.path(of: "errors"))
        self.folder = folder
        output = pipes[0]
        errors = pipes[1]
    }

    deinit {
        close(output)
        close(errors)
    }

    /// Ends reading from its standard output, so that its writing fails.
    func stopReading() throws {
        try useNothing(for: output)
    }

    /// Waits for a line of its standard output.
    func readLine() throws -> String {
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            let bytes = try readPart(output, 1)
            if bytes.isEmpty { throw TestFailure("the output ends") }
            line += bytes
        }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }

    /// Reads a line of its standard output if one comes within a moment.
    func readLineNow() throws -> String? {
        var member = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        return poll(&member, 1, 100) == 1 ? try readLine() : nil
    }

    /// Whether it ends within a moment.
    func endsNow() -> Bool {
        var member = pollfd(fd: errors, events: 0, revents: 0)
        return poll(&member, 1, 100) == 1
    }

    /// Sends it a signal.
    func send(signal: Int32) {
        process.send(signal: signal)
    }

    /// Waits for its end.
    func finish() throws -> ProgramResult {
        let text = try readAll(output)
        let errorText = try readAll(errors)
        return ProgramResult(status: try process.wait(), output: text, errors: errorText)
    }
}

/// Creates a named pipe, and opens it for reading.
private func makePipe(_ path: String) throws -> Int32 {
    _ = try TestFailure.check("mkfifo", mkfifo(path, 0o600))
    return try TestFailure.check("open", open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
}

/// Replaces a pipe by an empty file.
private func useNothing(for descriptor: Int32) throws {
    let nothing = try TestFailure.check("open", open("/dev/null", O_RDONLY | O_CLOEXEC))
    defer { close(nothing) }
    _ = try TestFailure.check("dup2", dup2(nothing, descriptor))
}

/// Waits for output; empty at the end.
private func readPart(_ descriptor: Int32, _ limit: Int) throws -> [UInt8] {
    var member = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&member, 1, 120_000) == 1 else { throw TestFailure("no output came") }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = read(descriptor, &bytes, limit)
    guard count >= 0 else { throw TestFailure("read", code: errno) }
    return Array(bytes.prefix(count))
}

private func readAll(_ descriptor: Int32) throws -> String {
    var bytes: [UInt8] = []
    while true {
        let part = try readPart(descriptor, 65_536)
        if part.isEmpty { return String(decoding: bytes, as: UTF8.self) }
        bytes += part
    }
}
