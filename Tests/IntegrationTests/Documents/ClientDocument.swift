import TestSupport
import Testing
import XCallbackTesting

/// A document about a client: its programs ask, handle requests, and receive events, in this order.
struct ClientDocument {
    let file: String
    /// The word after the fences of the programs.
    let language: String

    /// Runs all programs.
    func check(_ run: (String, RunningDaemon) throws -> ExampleProgram) throws {
        let programs = DocumentExample.all(in: language, of: file).map(\.text)
        try #require(programs.count == 3)
        let daemon = try RunningDaemon(#require(DocumentExample.all(in: "yaml", of: file).first).text)
        let server = try run(programs[1], daemon)
        let client = try daemon.connect()
        // The program starts to receive after some time.
        try daemon.ask("notes:/hello/Ada", on: client) {
            try client.ask("notes:/edit/1?text=a")?.contains("success") == true
        }
        let asking = try run(programs[0], daemon)
        expect(try asking.wait(), equals: 0, "\(asking.errors)\(server.errors)")
        expect(try asking.output.split(separator: "\n"), equals: try comments(in: programs[0]), "\(server.errors)")
        let subscriber = try run(programs[2], daemon)
        try daemon.ask("notes:/saved/7", on: client) { try subscriber.output.contains("\n") }
        expect(try subscriber.output.split(separator: "\n").first, equals: try comments(in: programs[2]).first)
    }

    /// Returns the outputs of a program, each of which is a comment at the end of a line.
    private func comments(in program: String) throws -> [Substring] {
        let sign = language == "python" ? "  # " : " // "
        let shown: [Substring] = program.split(separator: "\n").compactMap { line in
            line.firstRange(of: sign).map { line[$0.upperBound...] }
        }
        try #require(!shown.isEmpty)
        return shown
    }
}
