import XCallbackWire

/// A client that calls methods of the router.
class VarlinkClient: SimulatedClient {
    /// What becomes of the replies to a call.
    struct Call {
        let method: String
        let end: Int
        /// The configuration that was the oldest when it was made.
        let configuration: Int
        /// Whether it has several replies.
        let hasMore: Bool
        /// Takes a reply: the parameters, or the name of an error.
        let take: (Result<JSONValue, CallError>) -> Void
    }

    /// The error that a call ends with.
    struct CallError: Error {
        /// Its name, without its interface.
        let name: String
        /// Whether routes were missing, or limits low, at some time since the call.
        let routesWereMissing: Bool
        let limitsWereLow: Bool
    }

    private(set) var calls: [Call] = []
    /// The requests that were in progress when it asked last.
    private var inProgress: [String] = []

    init(_ number: Int, _ socket: SimulatedSocket, in world: World) {
        super.init(number, socket, terminator: 0, in: world)
    }

    func call(
        _ method: String, _ parameters: JSONValue, more: Bool = false, for ask: Ask? = nil, in world: World,
        then take: @escaping (Result<JSONValue, CallError>) -> Void
    ) {
        if isEnding || isDone { return }
        var call: [JSONValue.Member] = [
            .init("method", .string("org.xcallback.Router.\(method)")), .init("parameters", parameters),
        ]
        if more { call.append(.init("more", .bool(true))) }
        let message = JSONValue.object(call).bytes
        if let ask { give(ask, as: message) } else { give(message) }
        calls.append(
            Call(
                method: method, end: givenCount, configuration: world.ledger.configurations.oldest, hasMore: more,
                take: take))
    }

    /// Asks for the answer to a URL.
    func open(_ kind: Ask.Kind, origin: String, in world: World) {
        if isEnding || isDone { return }
        let ask = world.ledger.add(kind, over: socket)
        let follows = world.isOneIn(3)
        let parameters: JSONValue = ["url": .string(ask.url), "origin": .string(origin), "follow": .bool(follows)]
        let configuration = world.ledger.configurations.oldest
        call("Open", parameters, more: world.isOneIn(2), for: ask, in: world) { [socket] reply in
            switch reply {
            case .success(let parameters) where parameters["outcome"] == nil:
                ask.take(progress: parameters["progress"] ?? .null, of: socket.userID, in: world)
            case .success(let parameters):
                let answer = parameters["answer"]?.text ?? ""
                // Of the desktop fewer are served: who is one too many has its URL not even read.
                let isTooMuch = answer.hasPrefix("xcallback:") && parameters["code"]?.integer == 429
                if isTooMuch, world.ledger.wasTight(since: configuration) { return }
                ask.take(answer, in: world)
            case .failure(let error): world.fail("\(error.name) is the reply to Open of \(ask.url)")
            }
        }
    }

    /// Whether it calls whatever it is told to.
    var isFree: Bool { true }

    /// Asks the daemon itself for something.
    func inspect(_ inspection: Scenario.Inspection, in world: World) {
        let parameters: JSONValue =
            switch inspection {
            case .explain: ["url": .string("sim:/now/1")]
            case .publish:
                ["topic": .string("news"), "items": .array([["name": .string("id"), "value": .string("p")]])]
            case .routes, .status, .reload: [:]
            case .cancel: ["id": .string(inProgress.randomElement(using: &world.random) ?? "none")]
            }
        call(inspection.rawValue, parameters, in: world) { [self] reply in
            if inspection == .status, case .success(let parameters) = reply {
                inProgress = (parameters["requests"]?.elements ?? []).compactMap { $0["id"]?.text }
            }
            guard case .failure(let error) = reply else { return }
            let isRight =
                switch error.name {
                case "PermissionDenied": socket.userID != world.ownID
                case "NotLoaded": inspection == .reload
                case "NotWaiting": inspection == .cancel
                // It waits for another queue for so long that this counts as none.
                case "NoThread": [.explain, .routes, .reload].contains(inspection)
                case "Stopping" where inspection == .reload: world.ledger.stopCount > 0
                case "Stopping": noteStop(in: world) && inspection != .status
                case "LimitReached": error.limitsWereLow
                case "UnknownTopic": error.routesWereMissing
                default: false
                }
            if !isRight { world.fail("\(inspection.rawValue) ends with \(error.name)") }
        }
    }

    /// Takes the error that ends a stream.
    func endStream(_ error: CallError, of method: String, in world: World) {
        let isRight =
            switch error.name {
            case "UnknownName", "UnknownTopic": error.routesWereMissing
            case "Stopping": world.ledger.stopCount > 0
            case "LimitReached": error.limitsWereLow
            case "PermissionDenied": socket.userID != world.ownID
            default: false
            }
        if !isRight { world.fail("\(method) ends with \(error.name)") }
        isEnding = true
    }

    override func forget() { calls = [] }

    override func receive(_ message: [UInt8], in world: World) {
        guard let reply = try? JSONValue(parsing: message.span, maximumSize: 1 << 20), let call = calls.first else {
            return world.fail("client \(number) reads what is no reply to a call")
        }
        let continues = reply["continues"]?.truth ?? false
        if continues, !call.hasMore { return world.fail("\(call.method) has more than one reply") }
        if !continues { calls.removeFirst() }
        if let error = reply["error"]?.text {
            call.take(
                .failure(
                    CallError(
                        name: String(error.split(separator: ".").last ?? ""),
                        routesWereMissing: world.ledger.hasMissedRoutes(since: call.configuration),
                        limitsWereLow: world.ledger.wasTight(since: call.configuration))))
        } else {
            call.take(.success(reply["parameters"] ?? .null))
        }
    }

    override func end(in world: World) {
        guard let call = calls.first, hasSent(upTo: call.end) else { return }
        if mayBeRefused(in: world) { return }
        // A stream has no end that its client could wait for, but what was asked behind it has.
        let asksMore = calls.dropFirst().contains { hasSent(upTo: $0.end) }
        if isStream, !asksMore, socket.hasBeenFull, world.ledger.isStreamGraceOver(at: world.time) { return }
        if mayBeLost(in: world) {
            world.ledger.hasLost = !isStream || asksMore || world.ledger.hasLost
            return
        }
        world.fail("client \(number) has no reply to \(call.method) and is disconnected")
    }
}
