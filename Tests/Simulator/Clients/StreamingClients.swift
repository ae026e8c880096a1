import XCallbackJSON
import XCallbackURL

/// A client that subscribes to what is published, or monitors requests.
final class WatchingClient: VarlinkClient {
    private var seen: Set<String> = []

    override var isFree: Bool { false }
    override var isStream: Bool { true }

    func subscribe(in world: World) {
        call("Subscribe", ["topics": .array([.string("news")])], more: true) { [self] reply in
            switch reply {
            case .success(let parameters):
                guard let items = parameters["event"]?["items"]?.elements else { return }
                let value = items.first?["value"]?.text ?? ""
                // What clients publish is the same each time.
                if value != "p", !seen.insert(value).inserted { world.fail("client \(number) hears of \(value) twice") }
            case .failure(let error): check(error, of: "Subscribe", in: world)
            }
        }
    }

    func monitor(in world: World) {
        call("Monitor", [:], more: true) { [self] reply in
            if case .failure(let error) = reply { check(error, of: "Monitor", in: world) }
        }
    }

    private func check(_ error: ErrorName, of method: String, in world: World) {
        let isRight =
            switch error.name {
            case "UnknownTopic": world.ledger.hasReloaded
            case "Stopping": world.ledger.stopCount > 0
            case "LimitReached": world.ledger.isTight
            case "PermissionDenied": socket.userID != world.ownID || world.ledger.hasReloaded
            default: false
            }
        if !isRight { world.fail("\(method) ends with \(error.name)") }
        isEnding = true
    }
}

/// A client that calls another application, which answers or does not.
final class CallingClient: VarlinkClient {
    override var isFree: Bool { false }

    private var hasOpened = false
    private var hasEnded = false

    /// Calls.
    ///
    /// - Parameters:
    ///   - timeout: For how long, in seconds.
    ///   - answers: Whether the application answers.
    ///   - world: The world.
    func call(timeout: Int, answers: Bool, in world: World) {
        let ask = world.ledger.add(.now, over: socket)
        let url = "app:/do?x-success=app:/s/\(ask.id)&x-error=app:/e/\(ask.id)&x-cancel=app:/c/\(ask.id)"
        call(
            "Call", ["url": .string(url), "timeout": .number(JSONNumber(timeout))], more: true, for: ask
        ) { [self] reply in
            switch reply {
            case .success(let parameters):
                if let target = parameters["open"]?.text, parameters["outcome"]?.text == nil {
                    open(target, of: ask, answers, in: world)
                } else {
                    finish(parameters, of: ask, in: world)
                }
            case .failure(let error):
                let isRight = error.name == "Stopping" && world.ledger.stopCount > 0 || socket.userID != world.ownID
                if !isRight { world.fail("Call ends with \(error.name)") }
            }
        }
    }

    private func open(_ target: String, of ask: Ask, _ answers: Bool, in world: World) {
        if hasOpened { return world.fail("a call is to be opened twice") }
        hasOpened = true
        guard let callback = try? ActionURL(target).success else {
            return world.fail("'\(target)' has no way back")
        }
        if answers { world.connectApplication(to: "\(callback)?id=\(ask.id)") }
    }

    private func finish(_ parameters: JSONValue, of ask: Ask, in world: World) {
        if hasEnded { return world.fail("a call has two results") }
        hasEnded = true
        let answer = parameters["answer"]?.text ?? ""
        guard answer.hasPrefix("app:/s/") else {
            let code = parameters["code"]?.integer ?? 0
            let isRight = answer.hasPrefix("app:/e/\(ask.id)?") && [429, 503, 504].contains(code)
            if !isRight { world.fail("'\(answer)' cannot be the result of a call") }
            return
        }
        ask.take(answer, in: world)
    }
}
