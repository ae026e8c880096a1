import Glibc
import Testing
import XCallback
import XCallbackTesting
import XCallbackWire

/// Two events that meet in one turn of the daemon's loop, in both orders.
///
/// The daemon is paused during both events, so that it finds both when it continues.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct SimultaneousEventTests {
    static let cases = WaitingCase.Kind.allCases.flatMap { kind in
        kind.events.flatMap { first in kind.events.filter { $0 != first }.map { (kind, [first, $0]) } }
    }

    @Test(arguments: cases)
    func eachRequestHasOneAnswer(kind: WaitingCase.Kind, events: [WaitingCase.Event]) throws {
        let waiting = try WaitingCase(kind, hasDeadline: events.contains(.deadline))
        try waiting.daemon.process.pause()
        for event in events { try waiting.perform(event) }
        waiting.daemon.process.send(signal: SIGCONT)

        if !events.contains(.disconnect) {
            let isEnded = !Set(events).isDisjoint(with: [.outcome, .deadline, .receiverGone])
            if !isEnded { try waiting.perform(.outcome) }
            let ending = try waiting.takeEnding()
            var possible: Set<WaitingCase.Ending> = []
            if events.contains(.outcome) || !isEnded { possible.insert(.success) }
            if events.contains(.deadline) { possible.insert(.error(504)) }
            if events.contains(.receiverGone) { possible.insert(.error(503)) }
            // A receiver cannot respond to a stopping daemon, nor can an application answer it.
            if events.contains(.stop), kind.needsClients { possible.insert(.error(503)) }
            #expect(possible.contains(ending), "\(ending)")
        }
        if events.contains(.stop) {
            waiting.letGo()
            #expect(try waiting.daemon.process.wait() == 0)
        } else {
            try waiting.expectNothingIsLeft()
            #expect(try waiting.daemon.stop() == 0)
        }
    }

    /// Earlier answers fill the socket, so that the answer of the waiting request stays unwritten past its deadline.
    @Test func aDeadlineAfterTheOutcomeIsHarmlessWhereTheClientDoesNotRead() throws {
        let text = String(repeating: "a", count: 60_000)
        let daemon = try RunningDaemon(
            """
            schemes: [app]
            routes:
              - { route: app:/big, respond: { text: \(text) } }
              - { route: app:/brief, deliver: editor, timeout: 2s }
              - { route: app:/ping, respond: {} }
            """)
        let receiver = try RouterClient(daemon.socket)
        try receiver.receive("editor")
        let client = try daemon.connect()
        let start = ContinuousClock.now
        try client.send(String(repeating: "app:/big\n", count: 4) + "app:/brief\n")
        try RouterClient(daemon.socket).respond(to: try receiver.request())
        let other = try daemon.connect()
        try daemon.ask("app:/ping", on: other) { ContinuousClock.now - start > .milliseconds(2200) }
        for _ in 0..<4 { #expect(try client.readLine()?.hasSuffix(text) == true) }
        #expect(try client.readLine() == "xcallback://x-callback-url/success")
        #expect(try daemon.stop() == 0)
    }
}

/// A daemon with one waiting request or call.
final class WaitingCase {
    /// What the request waits for.
    enum Kind: CaseIterable {
        case program, question, delivery
        case openedProgram, openedQuestion, openedDelivery
        case outgoingCall

        /// Whether clients end it.
        var needsClients: Bool { [.delivery, .openedDelivery, .outgoingCall].contains(self) }
        /// The possible events.
        var events: [Event] {
            Event.allCases.filter { $0 != .receiverGone || self == .delivery || self == .openedDelivery }
        }
        /// Whether the request was sent as a line.
        fileprivate var isLine: Bool { [.program, .question, .delivery].contains(self) }
        fileprivate var action: String {
            switch self {
            case .program, .openedProgram: "app:/program"
            case .question, .openedQuestion: "app:/question"
            case .delivery, .openedDelivery: "app:/delivery"
            case .outgoingCall: "other:/do"
            }
        }
    }

    /// An event.
    enum Event: CaseIterable {
        case outcome, deadline, disconnect, reload, stop
        /// The client that has received the request disconnects.
        case receiverGone
    }

    /// The client's result.
    enum Ending: Hashable {
        case success
        case error(Int)
    }

    private static let time = Duration.seconds(2)

    let daemon: RunningDaemon
    private let kind: Kind
    private let start: ContinuousClock.Instant
    private var lineCaller: LineClient?
    private var caller: RouterClient?
    private var receiver: RouterClient?
    private var responder: RouterClient?
    private var request: JSONValue = .null
    private var opener: LineClient?
    private var returnURL = ""
    /// The end of the pipe whose other end the program waits for.
    private var pipe: Int32 = -1
    private let pipePath: String

    init(_ kind: Kind, hasDeadline: Bool) throws {
        self.kind = kind
        let directory = try TemporaryDirectory()
        pipePath = directory.path(of: "pipe")
        try #require(mkfifo(pipePath, 0o600) == 0)
        let time = hasDeadline ? "2s" : "10m"
        let configuration = """
            schemes: [app]
            limits: { drain-time: 10s, call-time: \(time) }
            routes:
              - { route: app:/program, exec: [cat, \(pipePath)], timeout: \(time) }
              - route: app:/question
                policies: [{ confirm: { exec: [cat, \(pipePath)], timeout: \(time) } }]
                timeout: 10m
                respond: {}
              - { route: app:/delivery, deliver: editor, timeout: \(time) }
              - { route: app:/ping, respond: {} }
            """
        daemon = try RunningDaemon(starting: configuration, in: directory)
        try daemon.waitUntilReady()
        if kind.action == "app:/delivery" {
            let receiver = try RouterClient(daemon.socket)
            try receiver.receive("editor")
            self.receiver = receiver
            let responder = try RouterClient(daemon.socket)
            // The client is accepted, and not only in the backlog.
            _ = try responder.call("Status")
            self.responder = responder
        }
        start = ContinuousClock.now
        if kind.isLine {
            let client = try daemon.connect()
            try client.send("\(kind.action)\n")
            lineCaller = client
        } else {
            let client = try RouterClient(daemon.socket)
            let isCall = kind == .outgoingCall
            try client.send(isCall ? "Call" : "Open", ["url": .string(kind.action)], mode: isCall ? .more : .once)
            caller = client
        }
        try waitUntilBegun()
    }

    deinit {
        if pipe >= 0 { close(pipe) }
    }

    private func waitUntilBegun() throws {
        if let receiver {
            request = try receiver.request()
        } else if kind == .outgoingCall {
            let opened = try #require(try caller?.reply()["open"]?.text)
            returnURL = try #require(try ActionURL(opened).success)
            let opener = try daemon.connect()
            _ = try opener.ask("app:/ping")
            self.opener = opener
        } else {
            pipe = try openPipe()
        }
    }

    /// Opens the pipe once the program reads it.
    private func openPipe() throws -> Int32 {
        // Without O_NONBLOCK, the call would wait forever for a program that has ended.
        while ContinuousClock.now - start < .seconds(20) {
            let descriptor = open(pipePath, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            if descriptor >= 0 { return descriptor }
            sched_yield()
        }
        throw TestFailure("no program reads the pipe")
    }

    /// Performs an event.
    func perform(_ event: Event) throws {
        switch event {
        case .outcome: try end()
        case .deadline:
            let rest = Self.time + .milliseconds(100) - (ContinuousClock.now - start)
            // The passing of time is the event.
            if rest > .zero { poll(nil, 0, Int32(rest / .milliseconds(1))) }
        case .disconnect: (lineCaller, caller) = (nil, nil)
        case .receiverGone: receiver = nil
        case .reload: daemon.process.send(signal: SIGHUP)
        case .stop: daemon.process.send(signal: SIGTERM)
        }
    }

    private func end() throws {
        if pipe >= 0 {
            close(pipe)
            pipe = -1
        }
        // A stopping daemon may have closed the connection.
        if kind == .outgoingCall { _ = try? opener?.send(returnURL + "\n") }
        try? responder?.send("Respond", ["id": request["id"] ?? .null, "outcome": "success", "items": []])
    }

    /// Returns the client's only answer, after which nothing may follow.
    func takeEnding() throws -> Ending {
        defer { (lineCaller, caller) = (nil, nil) }
        if let lineCaller {
            lineCaller.endSending()
            let lines = try lineCaller.readToEnd()
            try #require(lines.count == 1, "\(lines)")
            if lines[0].hasPrefix("xcallback://x-callback-url/success") { return .success }
            return .error(Int(lines[0].drop { $0 != "=" }.dropFirst().prefix(3)) ?? 0)
        }
        let reply = try #require(try caller?.reply())
        return reply["outcome"]?.text == "success" ? .success : .error(reply["code"]?.integer ?? 0)
    }

    /// Disconnects the other clients, and ends the program.
    func letGo() {
        (receiver, responder, opener) = (nil, nil, nil)
        if pipe >= 0 { close(pipe) }
        pipe = -1
    }

    /// Waits until the daemon has released the request, and checks that its receiver gets another one.
    func expectNothingIsLeft() throws {
        if pipe >= 0 { try end() }
        // The receiver is busy until it responds, and the request counts, even though its caller has left.
        if responder != nil { _ = errorName { try RouterClient(daemon.socket).respond(to: request) } }
        let client = try daemon.connect()
        let status = try RouterClient(daemon.socket)
        try daemon.ask("app:/ping", on: client) {
            let limits = try status.call("Status")["limits"]?.elements ?? []
            return ["requests", "processes"].allSatisfy { name in
                limits.contains { $0["name"]?.text == name && $0["used"]?.integer == 0 }
            }
        }
        guard responder != nil else { return }
        if receiver == nil {
            receiver = try RouterClient(daemon.socket)
            try receiver?.receive("editor")
        }
        let asker = try RouterClient(daemon.socket)
        try asker.send("Open", ["url": "app:/delivery"])
        var reply = try #require(try receiver?.reply())
        if reply["ended"] == request["id"] { reply = try #require(try receiver?.reply()) }
        let next = try #require(reply["request"])
        #expect(next["id"] != request["id"])
        try RouterClient(daemon.socket).respond(to: next)
        #expect(try asker.reply()["outcome"]?.text == "success")
    }
}
