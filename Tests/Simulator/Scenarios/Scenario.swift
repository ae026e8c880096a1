import XCallbackTesting

/// What happens to a daemon, or to its program server, from outside, in order: a list of events that follows from a seed.
///
/// When each event happens, and what else happens between two of them, is decided by the ``World``, from the same seed.
struct Scenario {
    /// An event.
    ///
    /// Clients are named by numbers; one that is not there, or has left, does nothing.
    enum Event: Equatable {
        /// A kind of client connects. Few bytes of answers wait for one that is narrow.
        case connect(Client, client: Int, isOwn: Bool, isNarrow: Bool)
        /// A client asks for some URLs at once.
        case ask(client: Int, [Ask.Kind])
        /// A client stops or goes on reading.
        case pause(client: Int)
        case read(client: Int)
        /// A client sends nothing more, or disconnects.
        case end(client: Int)
        case leave(client: Int)
        /// A signal comes: to serve another configuration, or to stop.
        case reload(Configuration)
        /// A client asks for something of the daemon itself.
        case inspect(client: Int, Inspection)
        /// A client passes some descriptors with what it sends next.
        case passDescriptors(client: Int)
        case terminate
        /// Time passes, in milliseconds.
        case pass(Int)
        /// The next calls that need something are refused.
        case refuse(World.Supply, count: Int)
    }

    /// A kind of client.
    enum Client: String, CaseIterable {
        case lines, varlink, receiver, lateReceiver, subscriber, monitor, caller
        /// The client of the program server.
        case router
    }

    /// A configuration: with all routes, without those that name receivers and topics, with low limits, or with faults.
    enum Configuration: String, CaseIterable {
        case all, few, tight, faulty
    }

    /// What the daemon tells or does without a URL.
    enum Inspection: String, CaseIterable {
        case explain = "Explain"
        case routes = "Routes"
        case status = "Status"
        case reload = "Reload"
        case publish = "Publish"
        case cancel = "Cancel"
    }

    let seed: UInt64
    /// Whether it is the life of a program server, which is good for one call: each tenth is.
    var isOfProgramServer: Bool { seed % 10 == 0 }
    private(set) var events: [Event]
    /// Whether the kernel can refuse descriptors that clients pass.
    let kernelRefusesDescriptors: Bool

    /// Makes the scenario of a seed.
    ///
    /// - Parameters:
    ///   - seed: The seed, which is the number of the scenario.
    ///   - numbers: Which of its events happen, counted from 0; nil for all.
    init(seed: UInt64, only numbers: Set<Int>?) {
        self.init(seed: seed)
        if let numbers { events = events.indices.filter(numbers.contains).map { events[$0] } }
    }

    /// Makes the scenario of a seed.
    init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        kernelRefusesDescriptors = random.below(2) == 0
        events = []
        if isOfProgramServer {
            events = Self.lifeOfProgramServer(&random)
            return
        }
        // Half of the scenarios have few kinds of clients, which meet each other more often.
        let kinds = random.below(2) == 0 ? Self.kinds : (0..<3).map { _ in Self.kinds[random.below(Self.kinds.count)] }
        let count = 4 + random.below(36)
        var clientCount = 0
        for _ in 0..<count {
            if clientCount == 0 || random.below(4) == 0 {
                events.append(Self.connect(clientCount, kinds, &random))
                clientCount += 1
            } else {
                events.append(Self.event(clientCount, &random))
            }
        }
        if random.below(4) == 0 { events.insert(.terminate, at: random.below(events.count)) }
    }

    private static func lifeOfProgramServer(_ random: inout SeededGenerator) -> [Event] {
        var events = [Event.connect(.router, client: 0, isOwn: true, isNarrow: random.below(3) == 0)]
        for _ in 0..<random.below(6) {
            switch random.below(8) {
            case 0: events.append(.end(client: 0))
            case 1, 2: events.append(.leave(client: 0))
            case 3: events.append(.terminate)
            case 4: events.insert(.refuse([.process, .pipe, .thread, .handle][random.below(4)], count: 1), at: 1)
            default: events.append(.pass([1, 300, 4_000, 31_000][random.below(4)]))
            }
        }
        return events
    }

    /// The kinds of clients, as often as they come.
    private static let kinds: [Client] = [
        .lines, .lines, .lines, .lines, .varlink, .varlink, .receiver, .receiver, .receiver, .lateReceiver, .subscriber,
        .monitor, .caller,
    ]

    private static func connect(_ number: Int, _ kinds: [Client], _ random: inout SeededGenerator) -> Event {
        .connect(
            kinds[random.below(kinds.count)], client: number, isOwn: random.below(4) > 0,
            isNarrow: random.below(3) == 0)
    }

    private static func event(_ clientCount: Int, _ random: inout SeededGenerator) -> Event {
        // A scenario has few clients, and most events concern the last ones.
        let client = max(clientCount - 1 - random.below(6), 0)
        switch random.below(32) {
        case 0..<16: return .ask(client: client, asks(&random))
        case 16: return .pause(client: client)
        case 17: return .read(client: client)
        case 18: return .end(client: client)
        case 19..<22: return .leave(client: client)
        case 22..<24: return .reload(Configuration.allCases[random.below(Configuration.allCases.count)])
        case 24:
            let kinds = Inspection.allCases
            return random.below(4) == 0
                ? .passDescriptors(client: client) : .inspect(client: client, kinds[random.below(kinds.count)])
        case 25: return random.below(3) == 0 ? .terminate : .pass(1)
        case 26..<29: return .pass([5, 300, 1_100, 2_500, 4_000, 9_000, 31_000][random.below(7)])
        default:
            let resources = World.Supply.allCases
            return .refuse(resources[random.below(resources.count)], count: 1 + random.below(3))
        }
    }

    private static func asks(_ random: inout SeededGenerator) -> [Ask.Kind] {
        // Now and then more than a turn holds.
        let count = random.below(12) == 0 ? 40 + random.below(100) : 1 + random.below(4)
        let kinds = Ask.Kind.allCases
        let only: Ask.Kind? = random.below(2) == 0 ? kinds[random.below(kinds.count)] : nil
        return (0..<count).map { _ in only ?? kinds[random.below(kinds.count)] }
    }
}
