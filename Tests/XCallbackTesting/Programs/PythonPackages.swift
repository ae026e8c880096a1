import Glibc

/// Third-party implementations, which `make test` fetches.
package enum PythonPackages {
    private static let folder =
        packageFolder + "/.build/python"

    /// Whether they are installed.
    package static let arePresent = access(asyncCertification, R_OK) == 0

    /// The Python with these packages.
    package static let python = "\(folder)/bin/python"
    /// The Python with an implementation of the Model Context Protocol that supports only the handshake.
    package static let pythonWithHandshake = "\(folder)/mcp-with-handshake/bin/python"
    /// The folder of an earlier version of that implementation, which runs with the same packages.
    package static func earlierClient(_ version: String) -> String? {
        let folder = "\(folder)/mcp-\(version)"
        return access(folder, R_OK) == 0 ? folder : nil
    }

    /// The certification of `asyncvarlink`, which only its source archive contains.
    package static let asyncCertification = "\(folder)/asyncvarlink/tests/test_certification.py"

    /// Runs Python.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - directory: The folder for its output.
    ///   - limit: The timeout.
    /// - Returns: The exit status and the output.
    /// - Throws: ``TestFailure`` if it cannot be run, or times out.
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

/// A Python server, which is killed when the test releases it.
package final class PythonServer {
    private let process: ChildProcess
    /// The read end of its output, which must stay open for the server to survive.
    private let reader: Int32

    /// Starts a server, and waits for a line of output, which means that it listens.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of Python.
    ///   - directory: The folder for its output.
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
