import TestSupport
import XCallbackTesting

/// A program that uses a client of the examples; it is killed when the test releases it.
final class ExampleProgram {
    static let folder = "\(packageFolder)/Docs/Examples/clients"

    private let directory: TemporaryDirectory
    private let name: String
    private let process: ChildProcess

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: The path of the program, then its arguments.
    ///   - environment: Its environment besides the two below, as `NAME=value`.
    ///   - socket: The path of the daemon's socket.
    ///   - directory: The folder of its files, which it gets in `$FOLDER`.
    /// - Throws: ``TestFailure`` if it cannot be started.
    init(
        _ command: [String], environment: [String], asking socket: String, in directory: TemporaryDirectory
    ) throws {
        self.directory = directory
        name = "program-\(UInt32.random(in: 0 ... .max))"
        process = try ChildProcess(
            command, environment: environment + ["XCALLBACK_SOCKET=\(socket)", "FOLDER=\(directory.path)"],
            output: directory.path(of: name), error: directory.path(of: "\(name)-errors"))
    }

    /// Returns the path of an example file.
    static func example(_ name: String) -> String { "\(folder)/\(name)" }

    /// Its standard output.
    var output: String { get throws { try directory.text(of: name) } }
    /// Its standard error, or the reason why that cannot be read.
    var errors: String {
        do { return try directory.text(of: "\(name)-errors") } catch { return "\(error)" }
    }

    /// Sends a signal.
    func send(signal number: Int32) { process.send(signal: number) }

    /// Stops all its threads until it gets SIGCONT.
    func pause() throws { try process.pause() }

    /// Waits until the program has ended.
    ///
    /// - Returns: Its exit status.
    @discardableResult
    func wait() throws -> Int32 { try process.wait(within: .seconds(300)) }
}
