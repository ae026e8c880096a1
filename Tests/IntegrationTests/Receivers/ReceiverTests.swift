import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// Clients as handlers.
@Suite(.blocking)
struct ReceiverTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/edit/:id", input: { id: int }, deliver: editor }
          - { route: "app:/any/*rest", deliver: editor }
          - { route: "app:/late", deliver: late, wait: 60s }
          - { route: "app:/early", deliver: early, wait: 50ms }
          - { route: "app:/patient", deliver: patient, wait: 3s }
          - { route: "app:/clock", deliver: absent, wait: 3s }
        """

    private static func daemon(_ more: String = "") throws -> RunningDaemon {
        try RunningDaemon(configuration + more)
    }

    @Test func aReceiverAnswersWhatItIsAsked() throws {
        let daemon = try Self.daemon()
        let receiver = try RouterClient(daemon.socket)
        try receiver.receive("editor")
        let asker = try daemon.connect()
        try asker.send("app:/edit/7?text=a%26b&text=c&flag&x-success=other:/done\n")
        let request = try receiver.request()
        #expect(request["parameters"]?["id"]?.integer == 7)
        #expect(request["parameters"]?["text"] == ["a&b", "c"])
        #expect(request["items"]?.elements?.last == ["name": "flag", "value": .null])
        #expect(request["callbacks"]?["success"] == "other:/done")
        try RouterClient(daemon.socket).respond(to: request, [("a", "1"), ("b", "x y")])
        expect(try asker.readLine(), equals: "other:/done?a=1&b=x%20y")
    }

    @Test func aRequestComesAsItWasWrittenWhateverIsInIt() throws {
        let daemon = try Self.daemon()
        let (receiver, asker) = try (RouterClient(daemon.socket), daemon.connect())
        try receiver.receive("editor")
        let escapes = (1..<32).map { "%\($0 < 16 ? "0" : "")\(String($0, radix: 16, uppercase: true))" }
        let escaped = escapes.joined() + "%22%5C"
        let text = String(String.UnicodeScalarView((1..<32).compactMap { Unicode.Scalar($0) })) + "\"\\"
        try asker.send(
            "app:/any/\(escaped)/\(escaped)?\(escaped)=\(escaped)&x-source=\(escaped)&x-success=other:/done\n")
        let request = try receiver.request()
        #expect(request["action"]?.text == "/any/\(escaped)/\(escaped)")
        #expect(request["query"]?.text == "\(escaped)=\(escaped)")
        #expect(request["parameters"]?[text]?.text == text)
        #expect(request["source"]?.text == text)
        try RouterClient(daemon.socket).respond(to: request, [(text, text)])
        expect(try asker.readLine()) { $0?.contains("=\(escaped)") == true }
    }

    @Test func whoWaitsForABusyReceiverHasNoLessTime() throws {
        let daemon = try Self.daemon()
        let (first, second, clock) = try (
            RouterClient(daemon.socket), RouterClient(daemon.socket), RouterClient(daemon.socket)
        )
        try first.send("Open", ["url": "app:/patient"])
        try second.send("Open", ["url": "app:/patient"])
        let receiver = try RouterClient(daemon.socket)
        try receiver.receive("patient")
        let request = try receiver.request()
        // The waiting time of a receiver ends, because this request starts after the others; but a receiver has come.
        expect(try clock.open("app:/clock")["code"]?.integer, equals: 503)
        try RouterClient(daemon.socket).respond(to: request)
        try RouterClient(daemon.socket).respond(to: try receiver.request())
        expect(try first.reply()["outcome"]?.text, equals: "success")
        expect(try second.reply()["outcome"]?.text, equals: "success")
    }

    @Test func aReceiverHasAsManyRequestsAsItWants() throws {
        let daemon = try Self.daemon()
        let (receiver, responder) = try (RouterClient(daemon.socket), RouterClient(daemon.socket))
        try receiver.receive("editor", prefetch: 3)
        let askers = try (0..<5).map { _ in try RouterClient(daemon.socket) }
        for (number, asker) in askers.enumerated() { try asker.send("Open", ["url": .string("app:/edit/\(number)")]) }
        var requests = try (0..<3).map { _ in try receiver.request() }
        // The others come one by one, each after a response to another, in any order.
        try responder.respond(to: requests.remove(at: 1), [("n", "second")])
        requests.append(try receiver.request())
        try responder.respond(to: requests.removeLast())
        requests.append(try receiver.request())
        #expect(requests.compactMap { $0["parameters"]?["id"]?.integer }.sorted().count == 3)
        for request in requests { try responder.respond(to: request) }
        for asker in askers { expect(try asker.reply()["outcome"]?.text, equals: "success") }
    }

    @Test func requestsGoToWhoeverHasTheFewest() throws {
        let daemon = try Self.daemon()
        let receivers = try (0..<2).map { _ in try RouterClient(daemon.socket) }
        for receiver in receivers { try receiver.receive("editor", prefetch: 8) }
        let askers = try (0..<4).map { _ in try RouterClient(daemon.socket) }
        var requests: [JSONValue] = []
        for (number, asker) in askers.enumerated() {
            try asker.send("Open", ["url": "app:/edit/1"])
            requests.append(try receivers[number % 2].request())
        }
        for request in requests { try RouterClient(daemon.socket).respond(to: request) }
        for asker in askers { expect(try asker.reply()["outcome"]?.text, equals: "success") }
    }

    @Test(arguments: [0, -1, 65, Int.max, Int.min].map { JSONNumber($0) } + [JSONNumber(UInt64.max)])
    func nobodyReceivesAnyNumberAtATime(count: JSONNumber) throws {
        let daemon = try Self.daemon()
        let name = errorName { try RouterClient(daemon.socket).receive("editor", prefetch: count) }
        #expect(name == "org.varlink.service.InvalidParameter")
    }

    @Test func aRequestWaitsForAReceiverIfItsRouteSaysSo() throws {
        let daemon = try Self.daemon()
        let asker = try RouterClient(daemon.socket)
        expect(try asker.open("app:/early")["code"]?.integer, equals: 503)
        try asker.send("Open", ["url": "app:/late"])
        let receiver = try RouterClient(daemon.socket)
        try receiver.receive("late")
        try RouterClient(daemon.socket).respond(to: try receiver.request(), [("a", "b")])
        expect(try asker.reply()["answer"]?.text, equals: "xcallback://x-callback-url/success?a=b")
    }

    @Test func aProgramIsStartedOnceToReceive() throws {
        let directory = try TemporaryDirectory()
        let log = directory.path(of: "starts")
        try directory.write("#!/bin/sh\necho \"$XCALLBACK_NAME $XCALLBACK_SOCKET\" >>\(log)\n", to: "start")
        chmod(directory.path(of: "start"), 0o755)
        let daemon = try RunningDaemon(
            Self.configuration
                + """

                  - { route: "app:/start", deliver: started, start: [\(directory.path(of: "start"))], wait: 60s }
                """)
        let askers = try (0..<3).map { _ in try RouterClient(daemon.socket) }
        for asker in askers { try asker.send("Open", ["url": "app:/start"]) }
        let watch = try daemon.connect()
        try daemon.ask("app:/nowhere", on: watch) { ((try? directory.text(of: "starts")) ?? "").hasSuffix("\n") }
        let (receiver, responder) = try (RouterClient(daemon.socket), RouterClient(daemon.socket))
        try receiver.receive("started")
        for _ in askers { try responder.respond(to: try receiver.request()) }
        for asker in askers { expect(try asker.reply()["outcome"]?.text, equals: "success") }
        expect(try directory.text(of: "starts"), equals: "started \(daemon.socket)\n")
    }

    @Test func aNameIsOneOfTheConfiguration() throws {
        let daemon = try Self.daemon()
        let client = try RouterClient(daemon.socket)
        let unknown = errorName { try client.receive("nobody") }
        #expect(unknown == "org.xcallback.Router.UnknownName")
        #expect(errorName { _ = try client.call("Receive", ["name": "editor"]) } == "org.varlink.service.ExpectedMore")
        try client.receive("editor")
        // A reload without the name ends the receivers with it.
        try daemon.reload(Self.configuration.replacing("deliver: editor", with: "deliver: writer"))
        #expect(errorName { _ = try client.reply() } == "org.xcallback.Router.UnknownName")
    }

    @Test(.enabled(if: geteuid() == 0, "only root may become another user"))
    func othersReceiveWhatTheConfigurationAllows() throws {
        let daemon = try Self.daemon(
            """

              - { route: "app:/open", deliver: open, receivers: [{ user: 65534 }] }
              - { route: "app:/told", publish: told, receivers: [{ group: 4711 }] }
            """)
        daemon.admitOtherUsers()
        func ask(_ text: String) throws -> String {
            let client = "setpriv --reuid 65534 --clear-groups timeout 10 nc -N -U \(daemon.socket)"
            return try ChildProcess.run(
                ["/bin/bash", "-c", "exec 2>/dev/null; printf '\(text)\\0' | \(client) | head -c 40"],
                environment: ["PATH=/usr/bin:/bin:/usr/sbin"]
            ).output
        }
        let call = #"{"method":"org.xcallback.Router."#
        expect(try ask(call + #"Receive","more":true,"parameters":{"name":"open"}}"#)) { $0.contains("continues") }
        for refused in [
            #"Receive","more":true,"parameters":{"name":"editor"}}"#,
            #"Subscribe","more":true,"parameters":{"topics":["told"]}}"#,
            #"Publish","parameters":{"topic":"told","items":[]}}"#,
        ] {
            let reply = try ask(call + refused)
            #expect(reply == #"{"error":"org.varlink.service.Permission"#)
        }
    }
}
