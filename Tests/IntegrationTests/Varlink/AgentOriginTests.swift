import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackAdministration
import XCallbackTesting

/// Requests that declare an assistant as their origin, with the running daemon.
@Suite(.blocking)
struct AgentOriginTests {
    private let directory: TemporaryDirectory
    private let daemon: RunningDaemon
    /// Each question stays until it is open.
    private let gate: Gate

    init() throws {
        directory = try TemporaryDirectory()
        gate = try Gate(in: directory)
        // The question is declined if a file exists.
        let ask =
            "echo asked >>\(directory.path)/log; read line <\(gate.path); "
            + "test ! -e \(directory.path)/no"
        daemon = try RunningDaemon(
            """
            schemes: [app]
            routes:
              - { route: app:/asked, agent: true, public: true, policies: [{ confirm: { exec: [sh, -c, "\(ask)"] } }], respond: { a: "1" } }
              - { route: app:/other, agent: true, public: true, policies: [{ confirm: { exec: [sh, -c, "\(ask)"] } }], respond: { a: "1" } }
            """)
    }

    private static func answer(_ url: String, from origin: Origin = .agent, of socket: String) async throws -> String {
        let answer = try await Client(socket: socket).open(url, from: origin, following: true)
        switch answer.response {
        case .success(let items): return items.map { "\($0.name)=\($0.value ?? "")" }.joined(separator: " ")
        case .error(let error): return "\(error.code.rawValue) \(error.message)"
        case .cancel: return "cancel"
        case .redirect(let target): return target.text
        }
    }

    @Test func oneQuestionAtATimeAndRestAfterANo() async throws {
        let socket = daemon.socket
        async let first = Self.answer("app:/asked", of: socket)
        try await suspendUntil("the user is asked") { directory.contains("log") }
        expect(
            try await Self.answer("app:/other", of: socket),
            equals: "429 A question from an assistant is still open: there is one at a time.")
        // The user's own requests still lead to questions.
        async let own = Self.answer("app:/other", from: .socket, of: socket)
        try directory.write("", to: "no")
        try gate.open()
        expect(try await first, equals: "cancel")
        expect(try await own, equals: "cancel")
        let rest = try await Self.answer("app:/asked", of: socket)
        #expect(
            rest.hasPrefix("429 The user did not allow this action: an assistant may ask again in "), "\(rest)")
        unlink(directory.path(of: "no"))
        // Another action leads to another question.
        expect(try await Self.answer("app:/other", of: socket), equals: "a=1")
        expect(try await Self.answer("app:/asked", from: .socket, of: socket), equals: "a=1")
    }
}
