import XCallbackTesting

/// A program that uses the Python client.
final class PythonProgram: ExampleProgram {
    /// Starts a program.
    ///
    /// - Parameters:
    ///   - text: The source text.
    ///   - socket: The path of the daemon's socket.
    ///   - directory: The folder of its files.
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
        try super.init(
            tool + ["/usr/bin/python3", "-u"] + arguments,
            environment: [
                "PYTHONPATH=\(Self.folder)", "PYTHONPYCACHEPREFIX=\(directory.path)/cache",
                "PYTHONWARNINGS=always::ResourceWarning", "PATH=/usr/bin:/bin",
            ], asking: socket, in: directory)
    }
}
