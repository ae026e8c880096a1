import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting
import XCallbackWire

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
          - { route: n:/reason, public: true, agent: true, exec: [sh, -c, "echo one >&2; echo 'No such note.' >&2; exit 3"] }
          - { route: n:/note, exec: [sh, -c, "echo 'No such note.' >&2"] }
          - { route: n:/object, exec: [sh, -c, 'echo why >&2; printf "{{\\"code\\":410,\\"message\\":\\"Gone.\\"}}" >&2; exit 1'] }
          - { route: n:/long, exec: [sh, -c, "printf '%0400d' 0 >&2; exit 1"] }
          - { route: n:/controls, exec: [sh, -c, 'printf "a\\033[2Jb" >&2; exit 1'] }
          - { route: n:/cancel, exec: [sh, -c, "echo no >&2; exit 130"] }
          - route: n:/denied
            policies: [{ exec: [sh, -c, "echo 'Not on Sundays.' >&2; exit 1"] }]
            respond: { a: b }
          - { route: n:/mode, exec: [DIR/no program] }
          - { route: n:/mode/apart, exec: [DIR/no program], detach: true }
          - { route: n:/interpreter, exec: [DIR/script] }
          - { route: n:/env, exec: [DIR/env] }
          - { route: n:/windows, exec: [DIR/windows] }
          - { route: n:/bare, exec: [DIR/bare] }
          - { route: "n:/start/:minutes", public: true, input: { minutes: { type: int, max: 60 } }, respond: }
          - { route: n:/asked, public: true, respond: }
          - { route: n:/deliver, deliver: editor }
          - { route: n:/late, deliver: late, wait: 50ms }
          - { route: n:/lost, deliver: lost, start: [no-such-program] }
          - { route: n:/dead, deliver: dead, start: [sh, -c, "echo why >&2; exit 3"] }
          - { route: n:/dead/silent, deliver: dead, start: ["false"] }
          - { route: n:/deaf, deliver: deaf, start: ["true"], wait: 50ms }
        """

    static let causes: [(String, String?)] = [
        (
            "n:/none",
            "program 'no-such-program' is not in the PATH (/usr/bin:/bin): install it, or write its whole path"
        ),
        ("n:/nowhere", "the folder '/no-such-folder' does not exist: run 'mkdir -p /no-such-folder'"),
        ("n:/reason", "No such note."), ("n:/note", nil), ("n:/object", "why"), ("n:/cancel", nil),
        ("n:/long", String(repeating: "0", count: 300) + "…"), ("n:/controls", "a\u{1B}[2Jb"),
        ("n:/denied", "Not on Sundays."),
        ("n:/mode", "'DIR/no program' is not executable: run 'chmod +x 'DIR/no program''"),
        ("n:/mode/apart", "'DIR/no program' is not executable: run 'chmod +x 'DIR/no program''"),
        ("n:/interpreter", "'DIR/script' wants '/bin/bsh', which does not exist: install it, or change line 1"),
        ("n:/env", "'DIR/env' wants 'bsh', which is not in the PATH (/usr/bin:/bin): install it, or change line 1"),
        (
            "n:/windows",
            "'DIR/windows' has the line ends of Windows, so its first line names no program: "
                + #"run 'sed -i "s/\r$//" DIR/windows'"#
        ),
        (
            "n:/bare",
            "'DIR/bare' is a script whose first line does not name a program: "
                + ##"run 'sed -i 1i\\#\\!/bin/sh DIR/bare'"##
        ),
        ("n:/killed", "signal 9 ended the program"), ("n:/policy", "signal 9 ended the program"), ("n:/own", nil),
        ("n:/deliver", "no client receives as 'editor'"),
        ("n:/late", "no client started to receive as 'late' in time"),
        (
            "n:/lost",
            "cannot start the program that receives as 'lost': program 'no-such-program' is not in the PATH "
                + "(/usr/bin:/bin): install it, or write its whole path"
        ),
        ("n:/dead", "why"),
        ("n:/dead/silent", "cannot start the program that receives as 'dead': it ended with status 1"),
        ("n:/deaf", "the started program does not receive as 'deaf' yet"),
    ]

    /// Programs that cannot be started.
    private static let programs = [
        "no program": "#!/bin/sh\n", "script": "#!/bin/bsh -e\n", "env": "#!/usr/bin/env bsh\n",
        "windows": "#!/bin/sh\r\nexit 0\r\n", "bare": "exit 0\n",
    ]

    private static func start() throws -> RunningDaemon {
        let directory = try TemporaryDirectory()
        for (name, text) in programs {
            let path = try directory.write(text, to: name)
            if name != "no program" { chmod(path, 0o755) }
        }
        let daemon = try RunningDaemon(
            starting: configuration.replacing("DIR", with: directory.path), in: directory)
        try daemon.waitUntilReady()
        return daemon
    }

    @Test(arguments: causes)
    func theDaemonsUserReceivesTheCause(_ url: String, _ cause: String?) async throws {
        let daemon = try Self.start()
        let cause = cause?.replacing("DIR", with: daemon.directory.path)
        let answer = try await Client(socket: daemon.socket).open(url)
        #expect(answer.cause == cause)
        #expect(cause.map { answer.url.contains($0.prefix(10)) } != true)
        // Each is reported once, to its own request.
        expect(try await Client(socket: daemon.socket).open("n:/quite/different").cause, equals: nil)
    }

    /// The command of the desktop shows it to the user who has clicked; it is in no URL.
    @Test(arguments: [
        ("n:/reason", "No such note.", "such"),
        ("n:/nones", "the closest route is n:/none, but it has 'none' where the URL has 'nones'", "closest"),
        ("n:/start/99", "the route is n:/start/:minutes", "route%20is"),
    ])
    func itIsNeverInAURLAndNotForAssistants(url: String, cause: String, word: String) async throws {
        let daemon = try Self.start()
        let client = Client(socket: daemon.socket)
        expect(try await client.open(url, from: .agent).cause, equals: nil)
        for origin in [Origin.desktop, .socket] {
            let answer = try await client.open("\(url)?x-error=n:/x", from: origin)
            #expect(answer.cause == cause)
            #expect(answer.url.hasPrefix("n:/x?errorCode=") && !answer.url.contains(word), "\(answer.url)")
        }
        expect(try await client.open(url, from: .desktop, following: true).cause, equals: cause)
        let followed = try await client.open("\(url)?x-error=n:/start/1", from: .desktop, following: true)
        #expect(!followed.url.contains(word))
        expect(try daemon.connect().ask(url)) { $0?.contains(word) == false }
    }

    /// The service manager of sway, i3 or startx has no display; this is a daemon that it has started.
    @Test func aProgramThatMissesItsDisplayNamesTheCommand() async throws {
        let directory = try TemporaryDirectory()
        chmod(try directory.write("#!/bin/sh\necho HOME=/root\n", to: "bin/systemctl"), 0o755)
        let daemon = try RunningDaemon(
            starting: """
                schemes: [n]
                routes:
                  - { route: n:/window, exec: [sh, -c, 'echo "cannot open display: $DISPLAY" >&2; exit 1'] }
                  - { route: n:/other, exec: [sh, -c, "echo no >&2; exit 1"] }
                """, in: directory,
            preparation: "export SYSTEMD_EXEC_PID=$$ PATH='\(directory.path)/bin':/usr/bin:/bin DISPLAY=:7")
        try daemon.waitUntilReady()
        let client = Client(socket: daemon.socket)
        expect(
            try await client.open("n:/window").cause,
            equals: "cannot open display:  (your service manager has no display: run "
                + "'systemctl --user import-environment DISPLAY WAYLAND_DISPLAY' in your session)")
        expect(try await client.open("n:/other").cause, equals: "no")
    }

    @Test(.enabled(if: geteuid() == 0, "only root may become another user"))
    func anotherUserReceivesNothing() throws {
        let daemon = try RunningDaemon(Self.configuration)
        daemon.admitOtherUsers()
        let reply = try RouterClient(daemon.socket, as: 65_534).call("Open", ["url": "n:/nones"])
        #expect(reply["code"]?.integer == 404 && !"\(reply)".contains("closest"), "\(reply)")
    }
}
