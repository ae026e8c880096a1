import Glibc
import Synchronization
import TestSupport
import Testing
import XCallbackTesting

/// A daemon that starts while its configuration has faults.
@Suite(.blocking)
struct FaultyStartTests {
    private static let main = "schemes: [notes]\nroutes: [{ route: notes:/ping, respond: { pong: 1 } }]\n"
    private static let work = "schemes: [work]\nroutes: [{ route: work:/a, respond: { a: 1 } }]\n"
    private static let refusal =
        "xcallback://x-callback-url/error?errorCode=503&errorMessage=The%20daemon%27s%20configuration%20has%20a%20fault%3A"
        + "%20%27xcallback%20check%27%20shows%20its%20user%20and%20root%20what%20to%20fix%3B%20then%20run%20"
        + "%27xcallback%20reload%27."

    @Test func clientsThatWaitGetAnErrorBeforeItEnds() throws {
        let activation = try Activation(configuration: Self.main + "rout: 7\n")
        let client = try activation.connect()
        expect(try client.ask("notes:/ping"), equals: Self.refusal)
        // No callback is used before the allowed ones are known.
        expect(try client.ask("notes:/ping?x-error=notes:/e"), equals: Self.refusal)
        let status = "STATUS=Not started: the configuration has 1 fault, see the log"
        expect(try activation.manager.receive(), equals: status)
        expect(try activation.process.wait(), equals: 78)
        expect(try activation.log) { $0.contains("unknown key 'rout'") && !$0.contains("ready") }
    }

    @Test func aFileWithAFaultTakesOutOnlyItself() throws {
        let directory = try TemporaryDirectory()
        let environment = [
            "XDG_STATE_HOME=\(directory.path(of: "state"))", "STATE_DIRECTORY=\(directory.path(of: "state"))",
        ]
        func start() throws -> RunningDaemon {
            try RunningDaemon(starting: Self.main, in: directory, environment: environment)
        }
        try directory.write(Self.work, to: "routes.d/work.yaml")
        let first = try start()
        try first.waitUntilReady()
        try first.stop()
        // It is not YAML any more, so its scheme is the one that it had.
        let file = try directory.write("\t\(Self.work)", to: "routes.d/work.yaml")
        let daemon = try start()
        let ready = try daemon.manager.receive()
        #expect(ready.hasPrefix("READY=1\nSTATUS=1 of 2 files not served: \(file):1; Serving 1 route on "), "\(ready)")
        let client = try LineClient(daemon.socket)
        expect(try client.ask("work:/a"), equals: Self.refusal)
        expect(try client.ask("notes:/ping"), equals: "xcallback://x-callback-url/success?pong=1")
        expect(try client.ask("other:/a")) { $0?.contains("errorCode=404") == true }
        expect(try daemon.log) { $0.contains("not all files are served: requests for their schemes get error 503") }

        let site = try DesktopSite(socket: daemon.socket, session: [])
        let status = try site.run("xcallback", "status")
        #expect(status.status == 1)
        #expect(status.output.contains("1 of 2 files not served: \(file):1: run 'xcallback check'"), "\(status)")
        expect(try site.run("xcallback", "status", "--json").status, equals: 1)
        let doctor = try site.run("xcallback", "doctor")
        #expect(doctor.status == 1 && doctor.output.contains("FAULT \(file):1:1: "), "\(doctor)")
        let publishing = try site.run("xcallback", "publish", "news").output
        #expect(publishing.contains("does not serve it: The daemon's configuration has a fault"), "\(publishing)")
        expect(try site.run("xcallback", "reload").status, equals: 1)

        try directory.write(Self.work, to: "routes.d/work.yaml")
        expect(try site.run("xcallback", "reload").status, equals: 0)
        expect(try client.ask("work:/a"), equals: "xcallback://x-callback-url/success?a=1")
        expect(try site.run("xcallback", "status").status, equals: 0)
        try daemon.stop()
    }

    /// The file of a secret is on a file system that is mounted late; nobody reloads.
    @Test func aMissingFileIsServedOnceItExists() throws {
        let directory = try TemporaryDirectory()
        let route = "{ route: work:/a, policies: [late], respond: { a: 1 } }"
        try directory.write("schemes: [work]\nroutes: [\(route)]\n", to: "routes.d/work.yaml")
        // The file that uses the definition waits for it, too.
        try directory.write("define: { policies: { late: { token: { file: secret } } } }\n", to: "routes.d/late.yaml")
        let daemon = try RunningDaemon(starting: Self.main, in: directory)
        expect(try daemon.manager.receive()) { $0.hasPrefix("READY=1\nSTATUS=2 of 3 files not served: ") }
        let client = try LineClient(daemon.socket)
        expect(try client.ask("work:/a?token=one")) { $0?.contains("errorCode=503") == true }
        chmod(try directory.write("one\n", to: "routes.d/secret"), 0o600)
        while try !daemon.manager.receive().contains("STATUS=Serving 2 routes") {}
        expect(try client.ask("work:/a?token=one"), equals: "xcallback://x-callback-url/success?a=1")
        try daemon.stop()
    }

    @Test func aChangeOfTheFilesIsReportedUntilAReload() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.work, to: "routes.d/work.yaml")
        let daemon = try RunningDaemon(starting: Self.main, in: directory)
        try daemon.waitUntilReady()
        let site = try DesktopSite(socket: daemon.socket, session: [])
        let note = "the files have changed since they were loaded: run 'xcallback reload'"
        func expectNotes(_ isChanged: Bool, _ step: String) throws {
            for words in ["open work:/none", "status", "routes", "explain work:/none"] {
                let output = try site.run("/bin/sh", "-c", "xcallback \(words) 2>&1").output
                #expect(output.contains(note) == isChanged, "\(step): \(words) \(output)")
            }
        }
        try expectNotes(false, "start")
        try directory.write(Self.work + "# a comment\n", to: "routes.d/work.yaml")
        try expectNotes(true, "change")
        let doctor = try site.run("xcallback", "doctor", "--config", directory.path(of: "config.yaml")).output
        let finding = "the daemon serves an older configuration: the current files were not loaded"
        #expect(doctor.contains(finding), "\(doctor)")
        // Only after an error that another configuration could prevent.
        expect(try site.run("xcallback", "open", "work:/a").output) { !$0.contains(note) }
        expect(try site.run("xcallback", "reload").status, equals: 0)
        try expectNotes(false, "reload")
        try directory.write("schemes: [new]\n", to: "routes.d/new.yaml")
        try expectNotes(true, "addition")
        unlink(directory.path(of: "routes.d/new.yaml"))
        try expectNotes(false, "removal")
        try directory.write("", to: "routes.d/.work.yaml.swp")
        try expectNotes(false, "an editor's file")
        try daemon.stop()
    }
    /// What the clients of twenty files can be answered: a version of a file that was served last, or is being loaded.
    private final class Versions: Sendable {
        let served = Mutex([0] + Array(repeating: 1, count: 19))
        let written = Mutex([0] + Array(repeating: 1, count: 19))
        let askingCount = Mutex(3)
        let wrong = Mutex<[String]>([])

        /// Asks for all files until a version of more than sixty is served.
        func ask(at socket: String) throws {
            let client = try LineClient(socket)
            while served.withLock({ $0.max() ?? 0 }) <= 60 {
                for number in 0..<20 {
                    let first = served.withLock { $0[number] }
                    let answer = try client.ask("s\(number):/a") ?? "nothing"
                    let text = answer.replacing("xcallback://x-callback-url/success?version=", with: "")
                    let version = answer == FaultyStartTests.refusal ? 0 : Int(text) ?? -1
                    let last = written.withLock { $0[number] }
                    if !(first...last).contains(version) {
                        wrong.withLock { $0.append("\(number), \(first)...\(last): \(answer)") }
                    }
                }
            }
        }
    }

    /// Every scheme has a broader route in another file, which would answer in place of a lost one.
    @Test func noAnswerIsWrongWhileFilesBreakAndAreMended() throws {
        let (directory, versions) = (try TemporaryDirectory(), Versions())
        func write(_ version: Int, to number: Int, _ damage: (String) -> String = { $0 }) throws {
            let route = "{ route: s\(number):/a, respond: { version: '\(version)' } }"
            try directory.write(damage("schemes: [s\(number)]\nroutes: [\(route)]\n"), to: "routes.d/\(number).yaml")
        }
        let damages: [(String) -> String] = [{ $0 + "rout: 7\n" }, { "\t\($0)" }, { String($0.prefix($0.count / 2)) }]
        let broad = (0..<20).map { "  - { route: 's\($0):/*any', respond: { version: broad } }\n" }
        try directory.write("routes:\n\(broad.joined())", to: "routes.d/broad.yaml")
        for number in 0..<20 { try write(1, to: number, number == 0 ? damages[0] : { $0 }) }
        let daemon = try RunningDaemon(starting: Self.main, in: directory)
        expect(try daemon.manager.receive()) { $0.hasPrefix("READY=1\nSTATUS=1 of 22 files not served: ") }
        for _ in 0..<3 {
            runOnThread { [socket = daemon.socket] in
                do { try versions.ask(at: socket) } catch { versions.wrong.withLock { $0.append("\(error)") } }
                versions.askingCount.withLock { $0 -= 1 }
            }
        }
        for version in 2...61 {
            let number = (version - 2) % 20
            try write(version, to: number, damages[version % 3])
            if version > 2 { expect(try daemon.reload(Self.main)) { $0.contains("not reloaded: 1 fault") } }
            versions.written.withLock { $0[number] = version }
            try write(version, to: number)
            expect(try daemon.reload(Self.main)) { $0.hasPrefix("READY=1\nSTATUS=Serving 41 routes") }
            versions.served.withLock { $0[number] = version }
        }
        try waitUntil("the clients have ended") { versions.askingCount.withLock { $0 } == 0 }
        #expect(versions.wrong.withLock { $0.prefix(5) } == [])
        try daemon.stop()
    }
}
