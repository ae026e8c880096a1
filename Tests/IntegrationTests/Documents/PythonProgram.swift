import XCallbackTesting

/// A program in Python that uses the client of the examples; it is killed when the test has let it go.
final class PythonProgram {
    private static let folder = "\(packageFolder)/Docs/Examples/clients"

    private let directory: TemporaryDirectory
    private let name: String
    private let process: ChildProcess

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - text: The program.
    ///   - socket: The path of the daemon's socket.
    ///   - directory: Where its files lie; it can find that in `$FOLDER`.
    ///   - tool: The words of a program that runs it.
    /// - Throws: ``TestFailure`` if it cannot be started.
    convenience init(
        _ text: String, asking socket: String, in directory: TemporaryDirectory, under tool: [String] = []
    ) throws {
        let file = try directory.write(text, to: "program-\(UInt32.random(in: 0 ... .max)).py")
        try self.init(running: [file], asking: socket, in: directory, under: tool)
    }

    /// Starts one of the examples, or Python itself, with arguments.
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

    /// The path of a file of the examples.
    static func example(_ name: String) -> String { "\(folder)/\(name)" }

    /// What it has printed.
    var output: String { get throws { try directory.text(of: name) } }
    /// What it has complained about, or why that cannot be told.
    var errors: String {
        do { return try directory.text(of: "\(name)-errors") } catch { return "\(error)" }
    }

    /// Sends a signal.
    func send(signal number: Int32) { process.send(signal: number) }

    /// Waits until it has ended.
    ///
    /// - Returns: Its exit status.
    @discardableResult
    func wait() throws -> Int32 { try process.wait() }
}
