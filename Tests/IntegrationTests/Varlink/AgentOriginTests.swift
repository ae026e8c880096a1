import Glibc
import Testing
import XCallback
import XCallbackAdministration
import XCallbackTesting

/// Requests that declare an assistant as their origin, with the running daemon.
@Suite(.blocking, .timeLimit(.minutes(10)))
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
              - { route: app:/private, respond: { a: "1" } }
              - { route: app:/told, agent: true, exec: [printenv, XCALLBACK_ORIGIN] }
              - { route: app:/asked, agent: true, public: true, policies: [{ confirm: { exec: [sh, -c, "\(ask)"] } }], respond: { a: "1" } }
              - { route: app:/other, agent: true, public: true, policies: [{ confirm: { exec: [sh, -c, "\(ask)"] } }], respond: { a: "1" } }
              - { route: app:/chained, agent: true, respond: { a: "1" } }
              - { route: app:/delivered, agent: true, deliver: editor }
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

    @Test func whatIsOfferedAnswersAndReportsTheOrigin() async throws {
        let socket = daemon.socket
        #expect(try await Self.answer("app:/told", of: socket) == "result=agent")
        #expect(try await Self.answer("app:/told", from: .socket, of: socket) == "result=socket")
        #expect(try await Self.answer("app:/private", of: socket) == "403 This action is not offered to assistants.")
        // A chain keeps the origin.
        let chained = try await Client(socket: daemon.socket).open(
            "app:/chained?x-success=app:/private", from: .agent, following: true)
        #expect(chained.url.contains("errorCode=403"))
        let deliveries = try await Client(socket: daemon.socket).deliveries(receivedAs: "editor")
        async let delivered = Self.answer("app:/delivered", of: socket)
        for try await case .request(let request) in deliveries {
            #expect(request.origin == .agent)
            try await Client(socket: daemon.socket).respond(toRequest: request.id, with: .success(["x": "1"]))
            break
        }
        #expect(try await delivered == "x=1")
        let status = try await Client(socket: daemon.socket).status()
        #expect(Set(status.accounts.map(\.kind)).isSubset(of: ["socket", "agent"]))
    }

    @Test func oneQuestionAtATimeAndRestAfterANo() async throws {
        let socket = daemon.socket
        async let first = Self.answer("app:/asked", of: socket)
        try await suspendUntil("the user is asked") { directory.contains("log") }
        #expect(
            try await Self.answer("app:/other", of: socket)
                == "429 A question from an assistant is still open: there is one at a time.")
        // The user's own requests still lead to questions.
        async let own = Self.answer("app:/other", from: .socket, of: socket)
        try directory.write("", to: "no")
        try gate.open()
        #expect(try await first == "cancel")
        #expect(try await own == "cancel")
        let rest = try await Self.answer("app:/asked", of: socket)
        #expect(
            rest.hasPrefix("429 The user did not allow this action: an assistant may ask again in "), "\(rest)")
        unlink(directory.path(of: "no"))
        // Another action leads to another question.
        #expect(try await Self.answer("app:/other", of: socket) == "a=1")
        #expect(try await Self.answer("app:/asked", from: .socket, of: socket) == "a=1")
    }
}
