import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// The receivers in the documents, each with the real daemon.
@Suite(.blocking)
struct ReceiverExampleTests {
    private static let folder = "\(packageFolder)/Docs/Examples/receivers"

    /// Starts the daemon with the examples' routes, runs a receiver, and sends requests.
    private func check(_ receiver: (RunningDaemon) throws -> [String]) throws {
        let daemon = try RunningDaemon(try textOfPackageFile("Docs/Examples/receivers/config.yaml"))
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let process = try ChildProcess(
            try receiver(daemon), environment: ["PATH=\(path)", "XCALLBACK_SOCKET=\(daemon.socket)"],
            output: daemon.directory.path(of: "receiver-output"), error: daemon.directory.path(of: "receiver-errors"))
        let client = try daemon.connect()
        // The route makes the first request wait for the receiver.
        let answer = try client.ask("count:/words?text=one%20two%0Athree&x-success=app:/done")
        let errors = try daemon.directory.text(of: "receiver-errors")
        #expect(answer == "app:/done?words=3", "\(errors)")
        let refusal = try client.ask("count:/words?text=%20&x-error=app:/failed")
        #expect(refusal == "app:/failed?errorCode=422&errorMessage=There%20is%20nothing%20to%20count.")
        // The caller leaves before the receiver handles the request.
        try process.pause()
        try {
            let leaving = try daemon.connect()
            try leaving.send("count:/words?text=a\n")
            try daemon.ask("count:/nowhere", on: client) {
                let limits = try RouterClient(daemon.socket).call("Status")["limits"]?.elements ?? []
                return limits.contains { $0["name"]?.text == "requests" && $0["used"]?.integer == 1 }
            }
        }()
        process.send(signal: SIGCONT)
        // The notification of a request's end has the same name as this parameter.
        expect(try client.ask("count:/words?ended=1&text=a%20b&x-success=app:/done"), equals: "app:/done?words=2")
        #expect(try daemon.directory.text(of: "receiver-output").split(separator: "\n").count <= 1)
        process.send(signal: SIGTERM)
        try process.wait()
    }

    @Test(.enabled(if: PythonPackages.arePresent, "'make python-packages' fetches the Python packages"))
    func theReceiverInPythonCounts() throws {
        try check { [PythonPackages.python, "\(Self.folder)/words.py", $0.socket] }
    }

    @Test func theReceiverForAShellCounts() throws {
        try check { _ in
            [
                try RunningDaemon.program("xcallback"), "listen", "words", "--output", "lines", "--",
                "\(Self.folder)/words.sh",
            ]
        }
    }

    @Test func theReceiverInCCounts() throws {
        try check { daemon in
            let program = daemon.directory.path(of: "words")
            let compiler = "$(command -v cc || command -v clang)"
            return [
                "/bin/sh", "-c",
                "\(compiler) -Wall -Wextra -Werror -o '\(program)' '\(Self.folder)/words.c' "
                    + "&& exec '\(program)' '\(daemon.socket)'",
            ]
        }
    }
}
