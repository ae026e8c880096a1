import Glibc
import Testing
import XCallbackTesting

/// The documents' examples of the Python client.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct PythonDocumentTests {
    private static let file = "Docs/HowTo/WriteAPythonClient.md"

    @Test func theProgramsOfTheDocumentDoWhatTheySay() throws {
        let programs = DocumentExample.all(in: "python", of: Self.file).map(\.text)
        try #require(programs.count == 2)
        let daemon = try RunningDaemon(#require(DocumentExample.all(in: "yaml", of: Self.file).first).text)
        let server = try PythonProgram(programs[1], asking: daemon.socket, in: daemon.directory)
        let client = try daemon.connect()
        // The program starts to receive after some time.
        try daemon.ask("notes:/hello/Ada", on: client) {
            try client.ask("notes:/edit/1?text=a")?.contains("success") == true
        }
        let asking = try PythonProgram(programs[0], asking: daemon.socket, in: daemon.directory)
        #expect(try asking.wait() == 0, "\(asking.errors)\(server.errors)")
        // The comment of each line is its output.
        let shown = programs[0].split(separator: "\n").compactMap { line in
            line.firstRange(of: "  # ").map { line[$0.upperBound...] }
        }
        #expect(try asking.output.split(separator: "\n") == shown)
        #expect(shown.count == 3)
    }
}
