import XCallbackTesting

/// A Python program that uses the examples' client; it is killed when the test releases it.
final class PythonProgram {
    private static let folder = "\(packageFolder)/Docs/Examples/clients"

    private let directory: TemporaryDirectory
    private let name: String
    private let process: ChildProcess

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - text: The source text.
    ///   - socket: The path of the daemon's socket.
    ///   - directory: The folder of its files, which it gets in `$FOLDER`.
    ///   - tool: The command of a program that runs it.
    /// - Throws: ``TestFailure`` if it cannot be started.
    convenience init(
        _ text: String, asking socket: String, in directory: TemporaryDirectory, under tool: [String] = []
    ) throws {
        let file = try directory.write(text, to: "program-\(UInt32.random(in: 0 ... .max)).py")
        try self.init(running: [file], asking: socket, in: directory, under: tool)
    }

    /// Starts an example, or Python itself, with arguments.
    init(
        running arguments: [String], asking socket: String, in directory: TemporaryDirectory, under tool: [String] = []
    ) throws {
        self.directory = directory
        name = "python-\(UInt32.random(in: 0 ... .max))"
        process = try ChildProcess(
            tool + ["/usr/bin/python3", "-u"] + arguments,
            environment: [
                "PYTHONPATH=\(Self.folder)", "PYTHONPYCACHEPREFIX=\(directory.path)/cache",
                "PYTHONWARNINGS=always::ResourceWarning",
                "XCALLBACK_SOCKET=\(socket)", "FOLDER=\(directory.path)", "PATH=/usr/bin:/bin",
            ], output: directory.path(of: name), error: directory.path(of: "\(name)-errors"))
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

    /// Waits until the program has ended.
    ///
    /// - Returns: Its exit status.
    @discardableResult
    func wait() throws -> Int32 { try process.wait() }
}
