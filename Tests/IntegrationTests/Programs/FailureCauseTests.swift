import Glibc
import Testing
import XCallback
import XCallbackTesting

/// The causes of handlers' failures, which only clients with access to the log receive.
struct FailureCauseTests {
    private static let configuration = """
        schemes: [n]
        routes:
          - { route: n:/none, public: true, exec: [no-such-program] }
          - { route: n:/nowhere, exec: [ls], cwd: /no-such-folder }
          - { route: n:/killed, exec: [sh, -c, "kill -9 $$"] }
          - route: n:/policy
            policies: [{ exec: [sh, -c, "kill -9 $$"] }]
            respond: { a: b }
          - route: n:/middleware
            middleware: [{ exec: [echo, no] }]
            respond: { a: b }
          - { route: n:/own, exec: [sh, -c, "exit 500"] }
          - { route: n:/deliver, deliver: editor }
          - { route: n:/late, deliver: late, wait: 50ms }
          - { route: n:/lost, deliver: lost, start: [no-such-program] }
          - { route: n:/deaf, deliver: deaf, start: ["true"], wait: 50ms }
        """

    static let causes: [(String, String?)] = [
        ("n:/none", "program 'no-such-program' not found in the daemon's PATH, /usr/bin:/bin"),
        ("n:/nowhere", "the program 'ls' cannot be started in /no-such-folder: No such file or directory"),
        ("n:/killed", "signal 9 ended the program"), ("n:/policy", "signal 9 ended the program"), ("n:/own", nil),
        ("n:/deliver", "no client receives as 'editor'"),
        ("n:/late", "no client started to receive as 'late' in time"),
        ("n:/lost", "cannot start the program that receives as 'lost': execve: No such file or directory"),
        ("n:/deaf", "the started program does not receive as 'deaf' yet"),
    ]

    @Test(arguments: causes)
    func theDaemonsUserIsToldTheCause(_ url: String, _ cause: String?) async throws {
        let daemon = try RunningDaemon(Self.configuration)
        let answer = try await Client(socket: daemon.socket).open(url)
        #expect(answer.cause == cause)
        #expect(cause.map { answer.url.contains($0.prefix(10)) } != true)
        // Each is reported once, to its own request.
        #expect(try await Client(socket: daemon.socket).open("n:/x").cause == nil)
    }

    @Test func theDaemonsUserIsToldWhyNobodyCanBeAsked() async throws {
        let daemon = try RunningDaemon(
            "schemes: [n]\nroutes: [{ route: n:/sure, public: true, policies: [{ confirm: \"Sure?\" }], respond: }]\n")
        let client = Client(socket: daemon.socket)
        let answer = try await client.open("n:/sure")
        #expect(answer.cause?.hasPrefix("the user cannot be asked here: ") == true, "\(answer)")
        #expect(try await client.open("n:/sure", from: .desktop).cause == nil)
    }

    @Test func whatComesFromTheDesktopIsToldNothing() async throws {
        let daemon = try RunningDaemon(Self.configuration)
        let client = Client(socket: daemon.socket)
        #expect(try await client.open("n:/none", from: .desktop).cause == nil)
        #expect(try await client.open("n:/none").cause != nil)
        let followed = try await client.open("n:/none", following: true)
        #expect(followed.cause != nil)
    }

    @Test func theCommandPrintsIt() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let output = daemon.directory.path(of: "output")
        let status = try ChildProcess(
            [RunningDaemon.program("xcallback"), "open", "--socket", daemon.socket, "n:/none"], environment: [],
            output: output, error: output
        ).wait()
        #expect(status == 1)
        let lines = try daemon.directory.text(of: "output").split(separator: "\n")
        #expect(lines.first?.hasPrefix("error 500: The handler failed. (request ") == true)
        #expect(lines.last == "cause: program 'no-such-program' not found in the daemon's PATH, /usr/bin:/bin")
    }
}
