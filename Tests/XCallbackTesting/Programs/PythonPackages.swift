import Glibc

/// The implementations of others, which `make test` fetches.
package enum PythonPackages {
    private static let folder =
        packageFolder + "/.build/python"

    /// Whether they were fetched.
    package static let arePresent = access(asyncCertification, R_OK) == 0

    /// The Python that has them.
    package static let python = "\(folder)/bin/python"
    /// The Python that has an implementation of the Model Context Protocol that knows the handshake only.
    package static let pythonWithHandshake = "\(folder)/mcp-with-handshake/bin/python"
    /// The certification of `asyncvarlink`, which comes with its sources only.
    package static let asyncCertification = "\(folder)/asyncvarlink/tests/test_certification.py"

    /// Runs Python.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - directory: Where what it prints is kept meanwhile.
    ///   - limit: For how long it may run.
    /// - Returns: The exit status and what it printed.
    /// - Throws: ``TestFailure`` if it cannot be run, or runs for longer.
    package static func run(
        _ arguments: [String], in directory: TemporaryDirectory, within limit: Duration = .seconds(60)
    ) throws -> (status: Int32, output: String) {
        let file = directory.path(of: "output")
        let process = try ChildProcess(
            [python] + arguments, environment: ["PATH=/usr/bin:/bin"], output: file, error: file)
        let status = try process.wait(within: limit)
        return (status, try directory.text(of: "output"))
    }
}

/// A server in Python, which is killed when the test has let it go.
package final class PythonServer {
    private let process: ChildProcess
    /// Where it prints to; it would not survive that this is closed.
    private let reader: Int32

    /// Starts a server, and waits until it prints a line, which is that it listens.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of Python.
    ///   - directory: Where what it prints is kept.
    /// - Throws: ``TestFailure`` if it does not listen.
    package init(_ arguments: [String], in directory: TemporaryDirectory) throws {
        let pipe = directory.path(of: "server-output")
        _ = try TestFailure.check("mkfifo", mkfifo(pipe, 0o600))
        reader = try TestFailure.check("open \(pipe)", open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        process = try ChildProcess(
            [PythonPackages.python, "-u"] + arguments, environment: ["PATH=/usr/bin:/bin"], output: pipe,
            error: directory.path(of: "server-error"))
        var text = ""
        while !text.contains("\n") {
            var entries = [pollfd(fd: reader, events: Int16(POLLIN), revents: 0)]
            guard poll(&entries, 1, 60_000) == 1, entries[0].revents & Int16(POLLIN) != 0 else {
                throw TestFailure("the server does not listen: \(text)\(try directory.text(of: "server-error"))")
            }
            text += try textOfDescriptor(reader)
        }
    }

    deinit {
        close(reader)
    }
}
