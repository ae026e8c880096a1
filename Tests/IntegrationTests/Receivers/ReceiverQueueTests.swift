import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// Requests that wait for a receiver while their conditions change.
@Suite(.blocking)
struct ReceiverQueueTests {
    @Test func aRequestThatMayWaitOutlivesOneThatMayNot() throws {
        let daemon = try RunningDaemon(
            """
            schemes: [app]
            routes:
              - { route: app:/now, deliver: editor }
              - { route: app:/later, deliver: editor, wait: 60s }
            """)
        let (busy, hasty, patient) = try (
            RouterClient(daemon.socket), RouterClient(daemon.socket), RouterClient(daemon.socket)
        )
        try {
            let receiver = try RouterClient(daemon.socket)
            try receiver.receive("editor")
            try busy.send("Open", ["url": "app:/now"])
            _ = try receiver.request()
            // Both wait, in this order, until the receiver is free; then the receiver disconnects.
            for (number, asker) in [("app:/now", hasty), ("app:/later", patient)].enumerated() {
                try asker.1.send("Open", ["url": .string(asker.0)])
                try Self.waitForRequests(number + 2, in: daemon)
            }
        }()
        expect(try busy.reply()["code"]?.integer, equals: 503)
        expect(try hasty.reply()["code"]?.integer, equals: 503)
        let receiver = try RouterClient(daemon.socket)
        try receiver.receive("editor")
        try RouterClient(daemon.socket).respond(to: try receiver.request())
        expect(try patient.reply()["outcome"]?.text, equals: "success")
    }

    /// One that reads nothing loses its place once much is kept for it, more than the socket takes.
    @Test func aReceiverThatHangsIsGivenUp() throws {
        let daemon = try RunningDaemon(
            """
            schemes: [app]
            limits: { queued-output: 4096 }
            routes: [{ route: app:/now, deliver: editor, timeout: 50ms }]
            """)
        let receiver = try RouterClient(daemon.socket)
        try receiver.receive("editor")
        let client = try daemon.connect()
        let url = "app:/now?text=\(String(repeating: "x", count: 60_000))"
        try waitUntil("the receiver is given up") {
            let answer = try client.ask(url)
            return answer?.contains("errorCode=503") == true
        }
        expect(try RouterClient(daemon.socket).used("streams"), equals: 0)
        withExtendedLifetime(receiver) {}
    }

    /// Requests of assistants take turns with requests of their user.
    @Test func aRequestOfTheUserWaitsForOneOfAnAssistant() throws {
        let daemon = try RunningDaemon("schemes: [app]\nroutes: [{ route: app:/now, agent: true, deliver: editor }]")
        let receiver = try RouterClient(daemon.socket)
        try receiver.receive("editor")
        let askers = try (0..<4).map { _ in try RouterClient(daemon.socket) }
        for (number, asker) in askers.enumerated() {
            try asker.send("Open", ["url": "app:/now", "origin": number < 3 ? "agent" : "socket"])
            try Self.waitForRequests(number + 1, in: daemon)
        }
        let answerer = try RouterClient(daemon.socket)
        var origins: [String?] = []
        for _ in askers {
            let request = try receiver.request()
            origins.append(request["origin"]?.text)
            try answerer.respond(to: request)
        }
        #expect(origins == ["agent", "agent", "socket", "agent"])
    }

    @Test func aProgramThatDidNotReceiveIsStartedAgain() throws {
        let directory = try TemporaryDirectory()
        let log = directory.path(of: "starts")
        try directory.write("#!/bin/sh\necho started >>\(log)\n", to: "start")
        chmod(directory.path(of: "start"), 0o755)
        // The request times out before the start time of the program ends.
        let daemon = try RunningDaemon(
            """
            schemes: [app]
            routes:
              - route: app:/start
                deliver: editor
                start: [\(directory.path(of: "start"))]
                wait: 300ms
                timeout: 100ms
            """)
        let asker = try daemon.connect()
        try daemon.ask("app:/start", on: asker) {
            ((try? directory.text(of: "starts")) ?? "").split(separator: "\n").count > 1
        }
    }

    @Test func aDaemonThatStopsHandsNothingOver() throws {
        let daemon = try RunningDaemon("schemes: [app]\nroutes: [{ route: app:/now, deliver: editor }]\n")
        let (first, second) = try (RouterClient(daemon.socket), RouterClient(daemon.socket))
        let receiver = try RouterClient(daemon.socket)
        try receiver.receive("editor")
        try first.send("Open", ["url": "app:/now"])
        _ = try receiver.request()
        try second.send("Open", ["url": "app:/now"])
        try Self.waitForRequests(2, in: daemon)
        daemon.process.send(signal: SIGTERM)
        expect(try first.reply()["code"]?.integer, equals: 503)
        expect(try second.reply()["code"]?.integer, equals: 503)
        #expect(errorName { _ = try receiver.reply() } == "org.xcallback.Router.Stopping")
        expect(try daemon.process.wait(), equals: 0)
    }

    @Test func aReceiverHasTheTimeThatPoliciesHaveLeft() throws {
        let daemon = try RunningDaemon(
            """
            schemes: [app]
            routes: [{ route: app:/now, timeout: 600s, policies: [{ exec: [sleep, "1"] }], deliver: editor }]
            """)
        let (receiver, caller) = try (RouterClient(daemon.socket), RouterClient(daemon.socket))
        try receiver.receive("editor")
        try caller.send("Open", ["url": "app:/now"])
        let request = try receiver.request()
        guard case .number(let limit)? = request["limit"] else { throw TestFailure("no limit in \(request)") }
        expect(Double(limit.text)) { $0 ?? 600 <= 599 }
    }

    @Test func aReceiverIsBusyUntilItRespondsThoughItsCallerHasLeft() throws {
        let daemon = try RunningDaemon("schemes: [app]\nroutes: [{ route: app:/now, deliver: editor }]\n")
        let (receiver, responder, second) = try (
            RouterClient(daemon.socket), RouterClient(daemon.socket), RouterClient(daemon.socket)
        )
        try receiver.receive("editor")
        let first: JSONValue = try {
            let caller = try RouterClient(daemon.socket)
            try caller.send("Open", ["url": "app:/now"])
            return try receiver.request()
        }()
        expect(try receiver.reply(), equals: ["ended": first["id"] ?? .null])
        try second.send("Open", ["url": "app:/now"])
        // Both requests count.
        try Self.waitForRequests(2, in: daemon)
        #expect(errorName { try responder.respond(to: first) } == "org.xcallback.Router.TooLate")
        let next = try receiver.request()
        #expect(next["id"] != first["id"])
        #expect(errorName { try responder.respond(to: first) } == "org.xcallback.Router.TooLate")
        try responder.respond(to: next)
        expect(try second.reply()["outcome"]?.text, equals: "success")
        try responder.expectNothingIsHeld(but: ["connections", "streams", "bytes"])
        // The parameters of the receiver's call.
        expect(try responder.used("bytes")) { $0 < 200 }
        withExtendedLifetime(receiver) {}
    }

    @Test func aReceiverThatGoesHoldsNothingForACallerWhoHasLeft() throws {
        let daemon = try RunningDaemon("schemes: [app]\nroutes: [{ route: app:/now, deliver: editor }]\n")
        try {
            let receiver = try RouterClient(daemon.socket)
            try receiver.receive("editor")
            try {
                let caller = try RouterClient(daemon.socket)
                try caller.send("Open", ["url": "app:/now"])
                _ = try receiver.request()
            }()
            expect(try receiver.reply()["ended"]) { $0 != nil }
        }()
        try RouterClient(daemon.socket).expectNothingIsHeld()
    }

    @Test func aReloadThatDropsANameLetsItsRequestsFinish() throws {
        let routes = "schemes: [app]\nroutes:\n  - { route: app:/other, respond: {} }\n"
        let receiving = routes + "  - { route: app:/now, deliver: editor }\n"
        let daemon = try RunningDaemon(receiving)
        let (receiver, responder) = try (RouterClient(daemon.socket), RouterClient(daemon.socket))
        let callers = try (0..<2).map { _ in try RouterClient(daemon.socket) }
        try receiver.receive("editor")
        for (number, caller) in callers.enumerated() {
            try caller.send("Open", ["url": "app:/now"])
            try Self.waitForRequests(number + 1, in: daemon)
        }
        let request = try receiver.request()
        _ = try daemon.reload(routes)
        // The second request was made earlier, too.
        try responder.respond(to: request)
        try responder.respond(to: try receiver.request())
        for caller in callers { expect(try caller.reply()["outcome"]?.text, equals: "success") }
        #expect(errorName { _ = try receiver.reply() } == "org.xcallback.Router.UnknownName")
        #expect(errorName { try receiver.receive("editor") } == "org.xcallback.Router.UnknownName")
        _ = try daemon.reload(receiving)
        try receiver.receive("editor")
    }

    @Test(.enabled(if: geteuid() == 0, "only root may become another user"))
    func usersTakeTurnsAtAReceiver() throws {
        let daemon = try RunningDaemon("schemes: [app]\nroutes: [{ route: app:/now, deliver: editor }]\n")
        daemon.admitOtherUsers()
        let (receiver, responder, lone) = try (
            RouterClient(daemon.socket), RouterClient(daemon.socket), RouterClient(daemon.socket)
        )
        try receiver.receive("editor")
        let other = LimitedUser()
        let many = try ChildProcess(
            other.words + [
                "/bin/bash", "-c", "for i in {1..5}; do echo app:/now | nc -N -U \(daemon.socket) & done; wait",
            ], environment: ["PATH=/usr/bin:/bin"], output: daemon.directory.path(of: "answers"))
        try Self.waitForRequests(5, in: daemon)
        try lone.send("Open", ["url": "app:/now"])
        try Self.waitForRequests(6, in: daemon)
        var users: [Int?] = []
        for _ in 0..<6 {
            let request = try receiver.request()
            users.append(request["peer"]?["uid"]?.integer)
            try responder.respond(to: request)
        }
        // One was delivered before any request had to wait, and the next one is the oldest.
        #expect(users.firstIndex(of: Int(geteuid())) == 2)
        expect(try lone.reply()["outcome"]?.text, equals: "success")
        expect(try many.wait(), equals: 0)
    }

    @Test func whoLeavesHoldsItsShareUntilTheReceiverIsDone() throws {
        let daemon = try RunningDaemon(
            """
            schemes: [app]
            limits: { requests: 2 }
            routes: [{ route: app:/now, deliver: editor }]
            """)
        let (receiver, responder, caller) = try (
            RouterClient(daemon.socket), RouterClient(daemon.socket), RouterClient(daemon.socket)
        )
        try receiver.receive("editor", prefetch: 3)
        let left = try (0..<2).map { _ in
            let request: JSONValue = try {
                let leaving = try RouterClient(daemon.socket)
                try leaving.send("Open", ["url": "app:/now"])
                return try receiver.request()
            }()
            expect(try receiver.reply(), equals: ["ended": request["id"] ?? .null])
            return request
        }
        expect(try caller.call("Open", ["url": "app:/now"])["code"]?.integer, equals: 429)
        #expect(errorName { try responder.respond(to: left[0]) } == "org.xcallback.Router.TooLate")
        try caller.send("Open", ["url": "app:/now"])
        try responder.respond(to: try receiver.request())
        expect(try caller.reply()["outcome"]?.text, equals: "success")
        #expect(errorName { try responder.respond(to: left[1]) } == "org.xcallback.Router.TooLate")
    }

    /// Waits until a number of requests wait.
    private static func waitForRequests(_ count: Int, in daemon: RunningDaemon) throws {
        let status = try RouterClient(daemon.socket)
        try daemon.ask("app:/nowhere", on: try daemon.connect()) {
            try status.used("requests") == count
        }
    }
}
