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
            case .failure(let error): endStream(error, of: "Subscribe", in: world)
            }
        }
    }

    func monitor(in world: World) {
        call("Monitor", [:], more: true, in: world) { [self] reply in
            if case .failure(let error) = reply { endStream(error, of: "Monitor", in: world) }
        }
    }
}
