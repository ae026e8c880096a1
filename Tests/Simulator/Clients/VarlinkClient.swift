import XCallbackJSON

/// A client that calls methods of the router.
class VarlinkClient: SimulatedClient {
    /// What becomes of the replies to a call.
    struct Call {
        let method: String
        let end: Int
        /// Whether it has several replies.
        let hasMore: Bool
        /// Takes a reply: the parameters, or the name of an error.
        let take: (Result<JSONValue, ErrorName>) -> Void
    }

    /// The name of an error, without its interface.
    struct ErrorName: Error, Equatable {
        let name: String
    }

    private(set) var calls: [Call] = []

    init(_ number: Int, _ socket: SimulatedSocket) {
        super.init(number, socket, terminator: 0)
    }

    func call(
        _ method: String, _ parameters: JSONValue, more: Bool = false, for ask: Ask? = nil,
        then take: @escaping (Result<JSONValue, ErrorName>) -> Void
    ) {
        if isEnding || isDone { return }
        var call: [JSONValue.Member] = [
            .init("method", .string("org.xcallback.Router.\(method)")), .init("parameters", parameters),
        ]
        if more { call.append(.init("more", .bool(true))) }
        let message = JSONValue.object(call).bytes
        if let ask { give(ask, as: message) } else { give(message) }
        calls.append(Call(method: method, end: givenCount, hasMore: more, take: take))
    }

    /// Asks for the answer to a URL.
    func open(_ kind: Ask.Kind, origin: String, in world: World) {
        if isEnding || isDone { return }
        let ask = world.ledger.add(kind, over: socket)
        let follows = world.isOneIn(3)
        let parameters: JSONValue = ["url": .string(ask.url), "origin": .string(origin), "follow": .bool(follows)]
        call("Open", parameters, for: ask) { reply in
            switch reply {
            case .success(let parameters):
                let answer = parameters["answer"]?.text ?? ""
                // Of the desktop fewer are served: who is one too many has its URL not even read.
                if world.ledger.isTight, answer.hasPrefix("xcallback:"), parameters["code"]?.integer == 429 { return }
                ask.take(answer, in: world)
            case .failure(let error): world.fail("\(error.name) is the reply to Open of \(ask.url)")
            }
        }
    }

    /// Whether it calls whatever it is told to.
    var isFree: Bool { true }

    /// Asks the daemon itself for something.
    func inspect(_ inspection: Story.Inspection, in world: World) {
        let parameters: JSONValue =
            switch inspection {
            case .explain: ["url": .string("sim:/now/1")]
            case .publish:
                ["topic": .string("news"), "items": .array([["name": .string("id"), "value": .string("p")]])]
            case .routes, .status, .reload: [:]
            }
        call(inspection.rawValue, parameters) { [self] reply in
            guard case .failure(let error) = reply else { return }
            let isRight =
                switch error.name {
                case "PermissionDenied": socket.userID != world.ownID
                case "NotLoaded": inspection == .reload
                case "Stopping": inspection == .reload && world.ledger.stopCount > 0
                case "LimitReached": world.ledger.isTight || inspection == .explain || inspection == .routes
                case "NoThread": true
                case "UnknownTopic": world.ledger.hasReloaded
                default: false
                }
            if !isRight { world.fail("\(inspection.rawValue) ends with \(error.name)") }
        }
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
            call.take(.failure(ErrorName(name: String(error.split(separator: ".").last ?? ""))))
        } else {
            call.take(.success(reply["parameters"] ?? .null))
        }
    }

    override func end(in world: World) {
        guard let call = calls.first, hasSent(upTo: call.end), !mayBeRefused(in: world) else { return }
        if world.ledger.mayEndEarly(at: world.time) { return }
        world.fail("client \(number) has no reply to \(call.method) and is disconnected")
    }
}
