import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The notification of a request that takes long, on a real bus.
@Suite(.blocking)
struct ProgressNoticeTests {
    private let folder: TemporaryDirectory
    private let daemon: RunningDaemon
    private let site: DesktopSite
    private let gates: [Gate]
    private let busVariables: [String]
    private let bus: ChildProcess
    private let server: ChildProcess

    init() throws {
        folder = try TemporaryDirectory()
        gates = [try Gate(in: folder, "first"), try Gate(in: folder, "second")]
        daemon = try RunningDaemon(
            """
            schemes: [app]
            callbacks: { allow: [done] }
            routes:
              - route: app:/steps
                public: true
                progress: true
                exec: [sh, -c, 'echo "[1/3] <b>one" >&2; read a <\(gates[0].path); echo "[2/3] two" >&2; read a <\(gates[1].path)']
              - { route: app:/open, public: true, progress: true, exec: [sh, -c, 'echo one >&2; read a <\(gates[0].path)'] }
              - route: app:/secret
                public: true
                progress: true
                input: { pin: { secret: true } }
                exec: [sh, -c, 'echo "[1/3] $XCALLBACK_PARAM_PIN" >&2; read a <\(gates[0].path)']
              - route: app:/closed
                public: true
                progress: true
                exec: [sh, -c, 'echo one >&2; read a <\(gates[0].path); echo two >&2; sleep 2']
              - { route: app:/slow, public: true, progress: true, exec: [sh, -c, 'echo one >&2; sleep 3'] }
              - { route: app:/quick, public: true, progress: true, exec: [sh, -c, 'echo one >&2'] }
            """)
        site = try DesktopSite(socket: daemon.socket)
        // The person who presses buttons.
        _ = try TestFailure.check("mkfifo", mkfifo(site.directory.path(of: "person"), 0o600))
        bus = try site.start(
            ["dbus-daemon", "--session", "--nofork", "--address=unix:path=\(site.directory.path)/bus"], to: "bus.log")
        let socket = site.directory.path(of: "bus")
        busVariables = ["DBUS_SESSION_BUS_ADDRESS=unix:path=\(socket)"]
        try waitUntil("the bus listens") { access(socket, F_OK) == 0 }
        let file = "\(packageFolder)/Tests/Desktop/real/notifications.py"
        server = try site.start(
            ["sh", "-c", "exec python3 '\(file)' stand-in <>'\(site.directory.path)/person'"],
            environment: busVariables,
            to: "shown")
        try waitUntil("there is a notification server") { try shown.contains("ready") }
    }

    /// What the server was asked for, without the names of connections.
    private var shown: String {
        get throws {
            try site.directory.text(of: "shown").split(separator: " ").filter { !$0.hasPrefix(":1.") }.joined(
                separator: " ")
        }
    }

    private func start(_ words: String...) throws -> ChildProcess {
        try site.start(["xcallback"] + words, environment: busVariables, to: "output")
    }

    private func waitFor(_ text: String) throws {
        try waitUntil("the server is asked: \(text)") { try shown.contains(text) }
    }

    private func person(_ line: String) throws {
        _ = try ChildProcess.run(["/bin/sh", "-c", "echo '\(line)' >'\(site.directory.path)/person'"])
    }

    @Test func itIsRenewedInPlaceAndGoneWithTheAnswer() throws {
        let handling = try start("handle", "app:/steps")
        try waitFor("shown 1 cancel Cancel '1 of 3: &lt;b&gt;one'")
        try gates[0].open()
        try waitFor("shown 1 cancel Cancel '2 of 3: two'")
        try gates[1].open()
        try waitFor("closed 1")
        #expect(try handling.wait() == 0)
        #expect(try !shown.contains("shown 2"))
    }

    @Test(arguments: [["handle", "--opener", "done", "app:/open?x-cancel=done:/back"], ["pick", "app:/open"]])
    func itsButtonCancelsTheRequest(words: [String]) throws {
        try site.install(program: "done", script: "report \"$1\"")
        let handling = try site.start(["xcallback"] + words, environment: busVariables, to: "output")
        try waitFor("shown 1 cancel Cancel 'one'")
        try person("press 1 cancel")
        #expect(try handling.wait() == 3)
        // Who is waiting for the answer of the link gets it.
        if words[0] == "handle" { expect(try site.nextReport(), equals: "done:/back") }
        try RouterClient(daemon.socket).expectNothingIsHeld()
    }

    @Test func whoClosesItOnlyDoesNotWantToSeeIt() throws {
        let handling = try start("handle", "app:/closed")
        try waitFor("shown 1")
        try person("dismiss 1")
        try waitFor("closed 1")
        try gates[0].open()
        #expect(try handling.wait() == 0)
        #expect(try !shown.contains("shown 2"))
    }

    @Test(arguments: [["pick", "app:/secret", "--param", "pin=7"], ["handle", "app:/secret?pin=7"]])
    func aSecretIsNotRepeated(words: [String]) throws {
        let picking = try site.start(["xcallback"] + words, environment: busVariables, to: "output")
        try waitFor("shown 1 cancel Cancel '1 of 3'")
        picking.send(signal: SIGTERM)
        _ = try picking.wait()
    }

    @Test func nothingIsShownForAMoment() throws {
        #expect(try start("handle", "app:/quick").wait() == 0)
        expect(try shown, equals: "ready\n")
    }

    @Test func noBusIsNoHindrance() throws {
        let handling = try site.start(
            ["xcallback", "handle", "app:/slow"],
            environment: ["DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent"], to: "output")
        #expect(try handling.wait() == 0)
    }
}
