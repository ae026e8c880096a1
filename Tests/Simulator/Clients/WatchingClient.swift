import XCallbackWire

/// A client that subscribes to what is published, or monitors requests.
final class WatchingClient: VarlinkClient {
    private var seen: Set<String> = []

    override var isFree: Bool { false }
    override var isStream: Bool { true }

    func subscribe(in world: World) {
        call("Subscribe", ["topics": .array([.string("news")])], more: true, in: world) { [self] reply in
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
        call("Monitor", [:], more: true, in: world) { [self] reply in
            if case .failure(let error) = reply { check(error, of: "Monitor", in: world) }
        }
    }

    private func check(_ error: CallError, of method: String, in world: World) {
        let isRight =
            switch error.name {
            case "UnknownTopic": error.routesWereMissing
            case "Stopping": world.ledger.stopCount > 0
            case "LimitReached": error.limitsWereLow
            case "PermissionDenied": socket.userID != world.ownID
            default: false
            }
        if !isRight { world.fail("\(method) ends with \(error.name)") }
        isEnding = true
    }
}
