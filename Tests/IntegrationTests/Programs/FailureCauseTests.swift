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
          - { route: "n:/start/:minutes", public: true, input: { minutes: { type: int, max: 60 } }, respond: }
          - { route: n:/asked, public: true, respond: }
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
        #expect(try await Client(socket: daemon.socket).open("n:/quite/different").cause == nil)
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

    static let closest: [(url: String, cause: String)] = [
        ("n:/nones", "the closest route is n:/none, but it has 'none' where the URL has 'nones'"),
        ("n:/start/five", "the closest route is n:/start/:minutes, but 'minutes' must be a whole number"),
        ("n:/start/99", "the route is n:/start/:minutes"), ("m:/none", "no action has the scheme 'm'"),
        ("n:/asked/x", "the closest route is n:/asked, but the URL goes on with 'x'"),
    ]

    /// The answer and its message stay the same: they can go to a web page.
    @Test(arguments: closest)
    func theClosestRouteIsToldToTheDaemonsUserOnly(url: String, cause: String) async throws {
        let daemon = try RunningDaemon(Self.configuration)
        let client = Client(socket: daemon.socket)
        let (own, link) = (try await client.open(url), try await client.open(url, from: .desktop))
        let assistant = try await client.open(url, from: .agent)
        let line = try daemon.connect().ask(url)
        #expect(own.cause == cause)
        // The user who has clicked gets a notification.
        #expect(link.cause == cause)
        #expect(assistant.cause == nil)
        for answer in [own.url, link.url, assistant.url, line ?? ""] {
            #expect(!answer.contains("closest") && !answer.contains("route%20is"), "\(answer)")
        }
        #expect(own.url == line)
        let followed = try await client.open("\(url)?x-error=n:/start/1", from: .desktop, following: true)
        #expect(followed.url.contains("closest") == false)
    }

    @Test(.enabled(if: geteuid() == 0, "only root may become another user"))
    func anotherUserIsToldNothing() throws {
        let daemon = try RunningDaemon(Self.configuration)
        chmod(daemon.directory.path, 0o755)
        chmod(daemon.socket, 0o666)
        let output = daemon.directory.path(of: "output")
        let call = #"{"method":"org.xcallback.Router.Open","parameters":{"url":"n:/nones"}}\0"#
        try ChildProcess(
            ["/bin/bash", "-c", "printf '\(call)' | setpriv --reuid 65534 --clear-groups nc -N -U \(daemon.socket)"],
            environment: ["PATH=/usr/bin:/bin:/usr/sbin"], output: output, error: output
        ).wait()
        let reply = try daemon.directory.text(of: "output")
        #expect(reply.contains(#""code":404"#) && !reply.contains("closest"), "\(reply)")
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
