import Glibc

/// Third-party implementations, which `make test` fetches.
package enum PythonPackages {
    private static let folder =
        packageFolder + "/.build/python"

    /// Whether they are installed.
    package static let arePresent = access("\(folder)/ready", F_OK) == 0

    /// The Python with these packages.
    package static let python = "\(folder)/bin/python"
    /// The Python with an implementation of the Model Context Protocol that supports only the handshake.
    package static let pythonWithHandshake = "\(folder)/mcp-with-handshake/bin/python"
    /// The folder of an earlier version of that implementation, which runs with the same packages.
    package static func earlierClient(_ version: String) -> String? {
        let folder = "\(folder)/mcp-\(version)"
        return access(folder, R_OK) == 0 ? folder : nil
    }

    /// Runs Python.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - program: Another Python.
    ///   - library: A folder of modules that precede the others.
    ///   - directory: The folder for its output, and its home.
    ///   - limit: The timeout.
    /// - Returns: The exit status and the output.
    /// - Throws: ``TestFailure`` if it cannot be run, or times out.
    package static func run(
        _ arguments: [String], by program: String = python, library: String? = nil, in directory: TemporaryDirectory,
        within limit: Duration = .seconds(60)
    ) throws -> (status: Int32, output: String) {
        try ChildProcess.run(
            [program] + arguments,
            environment: ["PATH=/usr/bin:/bin", "HOME=\(directory.path)", "PYTHONPATH=\(library ?? "")"],
            within: limit)
    }
}
