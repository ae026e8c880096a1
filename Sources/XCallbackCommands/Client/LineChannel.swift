import Dispatch
import Glibc
import Synchronization
import XCallbackClient
import XCallbackEventLoop
import XCallbackLinux

/// Lines to and from a program that keeps running, or to standard output and from standard input.
///
/// Reading and writing have a thread each, because neither a terminal nor a file can be awaited otherwise.
final class LineChannel: Sendable {
    /// The maximum number of bytes in a line.
    private static let lineLimit = 1_048_576

    private let program: PipedProgram?
    private let readers = DispatchQueue(label: "xcallback.lines.in")
    private let writers = DispatchQueue(label: "xcallback.lines.out")
    private let input: Mutex<LineReader>

    /// Opens the channel.
    ///
    /// - Parameter arguments: The program and its arguments; empty for standard input and output.
    /// - Throws: ``Failure`` if the program cannot be started.
    init(running arguments: [String]) throws(Failure) {
        do throws(SystemError) {
            program = arguments.isEmpty ? nil : try PipedProgram(arguments)
        } catch {
            throw Failure(.errorAnswer, "cannot run the program: \(error)")
        }
        input = Mutex(LineReader(program?.output ?? STDIN_FILENO, limit: Self.lineLimit))
    }

    /// Reads a line, without its ending; nil at the end.
    ///
    /// - Throws: ``Failure`` if a line is too long or cannot be read, or `CancellationError`.
    func readLine() async throws -> [UInt8]? {
        try await wait(on: readers) { [self] in
            switch try input.withLock({ reader in try reader.next() }) {
            case .whole(let line): return line
            case .tooLong:
                throw Failure(.errorAnswer, "a line of a response is longer than \(Self.lineLimit) bytes")
            case .end: return nil
            }
        }
    }

    /// Writes a line.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - isNext: Called when the line is the next to be written, in the order of the lines.
    /// - Returns: Whether the other side still reads.
    /// - Throws: `CancellationError`.
    func write(_ line: [UInt8], isNext: @escaping @Sendable () -> Void = {}) async throws -> Bool {
        try await wait(on: writers) { [self] in
            isNext()
            return Terminal.write(line + [UInt8(ascii: "\n")], to: program?.input ?? STDOUT_FILENO) == 0
        }
    }

    /// Sends the program SIGTERM.
    func stop() {
        program?.terminate()
    }

    /// Closes the program's input, and waits until the program ends.
    ///
    /// - Throws: ``Failure`` if the program has failed.
    func finish() throws(Failure) {
        switch program?.finish() {
        case nil, .exited(status: 0): break
        case .exited(let status): throw Failure(.errorAnswer, "the program ended with status \(status)")
        case .killed(let signal): throw Failure(.errorAnswer, "signal \(signal) ended the program")
        }
    }

    /// Waits for a call on a separate thread; a cancelled task leaves the thread behind.
    private func wait<Value: Sendable>(
        on queue: DispatchQueue, _ call: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await Race.result { race in queue.async { @Sendable in race.end(with: Result(catching: call)) } }
    }
}
