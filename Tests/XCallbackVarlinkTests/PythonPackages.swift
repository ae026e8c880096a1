import Glibc
import XCallbackTesting

/// The implementations of others, which `make test` fetches.
enum PythonPackages {
    private static let folder =
        #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/.build/python"

    /// Whether they were fetched.
    static let arePresent = access(asyncCertification, R_OK) == 0

    /// The Python that has them.
    static let python = "\(folder)/bin/python"
    /// The certification of `asyncvarlink`, which comes with its sources only.
    static let asyncCertification = "\(folder)/asyncvarlink/tests/test_certification.py"

    /// Runs Python.
    ///
    /// - Returns: The exit status and what it printed.
    static func run(_ arguments: [String], in directory: TemporaryDirectory) throws -> (status: Int32, output: String) {
        let file = directory.path(of: "output")
        let process = try ChildProcess(
            [python] + arguments, environment: ["PATH=/usr/bin:/bin"], output: file, error: file)
        let status = try process.wait()
        return (status, try directory.text(of: "output"))
    }
}

/// A server in Python, which is killed when the test has let it go.
final class PythonServer {
    private let process: ChildProcess
    /// Where it prints to; it would not survive that this is closed.
    private let reader: Int32

    /// Starts a server, and waits until it prints a line, which is that it listens.
    init(_ arguments: [String], in directory: TemporaryDirectory) throws {
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
