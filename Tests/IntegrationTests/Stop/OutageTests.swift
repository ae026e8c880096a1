import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting

/// A daemon that clients start while its configuration has faults.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct OutageTests {
    private static let faulty = "schemes: [notes]\nroutes:\n  - { route: notes:/ping, rout: 7, respond: }\n"

    /// Returns the answer to a request during a number of faults.
    private static func answer(faults: String) -> String {
        "xcallback://x-callback-url/error?errorCode=503&errorMessage="
            + "The%20daemon%27s%20configuration%20has%20\(faults)%3A%20%27xcallback%20check%27%20shows%20what%20to%20fix%2C"
            + "%20then%20run%20%27xcallback%20reload%27."
    }

    @Test func eachClientGetsAnErrorUntilAReload() throws {
        let activation = try Activation(configuration: Self.faulty)
        let client = try activation.connect()
        expect(try client.ask("notes:/ping"), equals: Self.answer(faults: "a%20fault"))
        // No callback is used before the allowed ones are known.
        expect(try client.ask("notes:/ping?x-error=notes:/e"), equals: Self.answer(faults: "a%20fault"))
        let ready = try activation.manager.receive()
        #expect(ready == "READY=1\nSTATUS=Not serving: the configuration has 1 fault, see the log", "\(ready)")
        let line = "not serving: the configuration has faults; clients get error 503 until a reload"
        expect(try activation.log) { $0.contains(line) }
        expect(try activation.log) { $0.contains("unknown key 'rout'") }

        try activation.directory.write("schemes: [notes]\nroutes: 7\nlog: 7\n", to: "config.yaml")
        activation.process.send(signal: SIGHUP)
        while try !activation.manager.receive().contains("has 2 faults") {}
        expect(try activation.connect().ask("notes:/ping"), equals: Self.answer(faults: "2%20faults"))
        try activation.directory.write(RunningDaemon.echoConfiguration, to: "config.yaml")
        expect(try client.ask("notes:/ping"), equals: Self.answer(faults: "2%20faults"))
        activation.process.send(signal: SIGHUP)
        while try !activation.manager.receive().contains("STATUS=Serving 2 routes") {}
        expect(try client.ask("notes:/ping"), equals: "xcallback://x-callback-url/success?pong=1")
        activation.process.send(signal: SIGTERM)
        expect(try activation.process.wait(), equals: 0)
    }

    /// The file of a secret is on a file system that is mounted late; nobody reloads.
    @Test func aMissingFileEndsItOnceItExists() throws {
        let route = "{ route: notes:/a, policies: [{ token: { file: secret } }], respond: }"
        let activation = try Activation(configuration: "schemes: [notes]\nroutes: [\(route)]\n")
        let client = try activation.connect()
        expect(try client.ask("notes:/a?token=one"), equals: Self.answer(faults: "a%20fault"))
        let ready = try activation.manager.receive()
        #expect(ready.hasPrefix("READY=1\nSTATUS=Not serving: \(activation.directory.path)/config.yaml:2:"), "\(ready)")
        chmod(try activation.directory.write("one\n", to: "secret"), 0o600)
        while try !activation.manager.receive().contains("STATUS=Serving 1 route") {}
        expect(try client.ask("notes:/a?token=one"), equals: "xcallback://x-callback-url/success")
        activation.process.send(signal: SIGTERM)
        expect(try activation.process.wait(), equals: 0)
    }

    @Test func aReloadEndsItToo() throws {
        let activation = try Activation(configuration: Self.faulty)
        let site = try DesktopSite(socket: activation.socket, session: [])
        let asked = try site.run("xcallback", "open", "notes:/ping")
        #expect(asked.status == 1)
        #expect(asked.output.hasPrefix("error: The daemon's configuration has a fault: "), "\(asked)")
        let status = try site.run("xcallback", "status").output
        #expect(status.contains("; its configuration has faults and is not served"), "\(status)")
        expect(try site.run("xcallback", "reload").output) { $0.contains("unknown key 'rout'") }
        for words in [["listen", "me", "--", "cat"], ["subscribe", "news"], ["publish", "news"], ["routes"]] {
            let refused = try site.start(["xcallback"] + words, to: "refused")
            expect(try refused.wait(), equals: 1, "\(words)")
            let text = try site.directory.text(of: "refused")
            #expect(
                text.contains("serves nothing: The daemon's configuration has a fault: 'xcallback check' shows"),
                "\(text)")
        }
        try activation.directory.write(RunningDaemon.echoConfiguration, to: "config.yaml")
        expect(try site.run("xcallback", "reload").status, equals: 0)
        expect(try activation.connect().ask("notes:/ping"), equals: "xcallback://x-callback-url/success?pong=1")
    }
}
