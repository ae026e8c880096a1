import XCallbackWire

/// A client that receives requests, and another connection of it, on which it responds.
final class ReceivingClient: VarlinkClient {
    /// A request that it has received.
    final class Work {
        let token: String
        let ask: Ask
        /// When the daemon may give it up at the earliest.
        let deadline: Int64
        /// When the daemon gives it up at the latest.
        let lastTime: Int64
        /// When it is done.
        let readyTime: Int64
        /// When it reports its progress, perhaps when it is done already.
        var reportTimes: [Int64]
        var hasResponded = false
        /// Whether the daemon has said what becomes of the response.
        var isSettled = false
        var hasEnded = false

        init(token: String, ask: Ask, deadline: Int64, lastTime: Int64, readyTime: Int64, reportTimes: [Int64]) {
            self.token = token
            self.ask = ask
            self.deadline = deadline
            self.lastTime = lastTime
            self.readyTime = readyTime
            self.reportTimes = reportTimes
        }
    }

    /// Where it responds.
    let responder: VarlinkClient
    private let prefetch: Int
    private var work: [Work] = []
    private var name = ""
    private var isReceiving = false

    override var isFree: Bool { false }
    override var isStream: Bool { true }
    /// How many requests it works on though they have their answers.
    var answeredCount: Int { work.count { !$0.isSettled && $0.ask.outcome != nil } }

    init(_ number: Int, _ socket: SimulatedSocket, responder: VarlinkClient, prefetch: Int, in world: World) {
        self.responder = responder
        self.prefetch = prefetch
        super.init(number, socket, in: world)
    }

    func receive(as name: String, in world: World) {
        self.name = name
        let parameters: JSONValue = ["name": .string(name), "prefetch": .number(JSONNumber(prefetch))]
        call("Receive", parameters, more: true, in: world) { [self] reply in
            switch reply {
            case .success(let parameters): take(parameters, in: world)
            case .failure(let error): endStream(error, of: "Receive", in: world)
            }
        }
    }

    private func take(_ parameters: JSONValue, in world: World) {
        if let token = parameters["ended"]?.text {
            guard let one = work.first(where: { $0.token == token }), !one.hasEnded else {
                return world.fail("client \(number) is told that a request has ended which it does not have")
            }
            one.hasEnded = true
            return
        }
        isReceiving = true
        // The first reply says that it receives from now on.
        guard let request = parameters["request"], let token = request["id"]?.text else { return }
        let id = request["url"]?.text.flatMap { url in
            url.split(separator: "?").first?.split(separator: "/").last.flatMap { Int($0) }
        }
        guard let ask = id.flatMap({ world.ledger.asks[$0] }), case .number(let remaining)? = request["limit"],
            let seconds = Double(remaining.text)
        else { return world.fail("client \(number) receives what nobody has asked for") }
        let now = world.time
        let times: [Int64] = [0, 0, 1, 3, 5]
        let readyTime = now + times[world.below(times.count)] * 1_000_000_000
        let limit = Int64(seconds * 1e9)
        let deadline = (ask.sentTime ?? now) + limit
        let reportTimes = (0..<world.below(4)).map { _ in now + Int64(world.below(2_000)) * 1_000_000 }
        work.append(
            Work(
                token: token, ask: ask, deadline: deadline, lastTime: now + limit, readyTime: readyTime,
                reportTimes: reportTimes.sorted()))
        let busyCount = work.count { !$0.hasResponded && now < $0.deadline }
        if busyCount > prefetch {
            world.fail("client \(number) has \(busyCount) requests at a time, and wants at most \(prefetch)")
        }
        if work.contains(where: { $0.ask === ask && $0.token != token }) {
            world.fail("client \(number) has received \(ask.url) twice")
        }
    }

    override func checkRest(in world: World) {
        super.checkRest(in: world)
        // The daemon closes one that it cannot hear of, once there is a thread for that.
        if isPaused || socket.isUnheard { return }
        if let one = work.first(where: { $0.ask.isOver && !$0.hasResponded && !$0.hasEnded }) {
            world.fail("client \(number) is not told that \(one.ask.url) has ended")
        }
        let isBusy = work.contains { !$0.isSettled && world.time < $0.lastTime }
        if isReceiving, !isBusy, world.ledger.configurations.settled == .few {
            world.fail("client \(number) receives as '\(name)', which no route names any more")
        }
    }

    override func choices(in world: World) -> [() -> Void] {
        var choices = super.choices(in: world)
        if responder.isDone { return choices }
        for one in work where !one.hasResponded && world.time >= one.readyTime {
            choices.append { [self] in respond(to: one, in: world) }
        }
        for one in work where one.reportTimes.first ?? .max <= world.time {
            choices.append { [self] in report(one, in: world) }
        }
        return choices
    }

    override func nextTime(in world: World) -> Int64? {
        if responder.isDone { return nil }
        let readyTimes = work.filter { !$0.hasResponded }.map(\.readyTime)
        return (readyTimes + work.compactMap(\.reportTimes.first)).filter { $0 > world.time }.min()
    }

    /// Reports progress, which the daemon takes at any time, and drops if nobody waits for it.
    private func report(_ one: Work, in world: World) {
        one.reportTimes.removeFirst()
        let others = work.filter { $0 !== one && !$0.ask.isOver }
        let isWrong = world.injects(.misdirectsProgress, oneIn: 3)
        let token = isWrong ? others.last?.token ?? one.token : one.token
        let progress: JSONValue = ["text": .string("\(one.ask.id)")]
        responder.call("Respond", ["id": .string(token), "progress": progress], in: world) { reply in
            if case .failure(let error) = reply { world.fail("progress of \(one.ask.url) is \(error.name)") }
        }
    }

    private func respond(to one: Work, in world: World) {
        one.hasResponded = true
        let outcomes: [Ask.Outcome] = [.success, .success, .error, .cancel]
        let outcome = outcomes[world.below(outcomes.count)]
        var parameters: [JSONValue.Member] = [
            .init("id", .string(one.token)), .init("outcome", .string("\(outcome)")),
        ]
        switch outcome {
        case .success:
            parameters.append(
                .init("items", .array([["name": .string("id"), "value": .string("\(one.ask.id)")]])))
        case .error: parameters += [.init("code", .number(42)), .init("message", .string("no"))]
        case .cancel: break
        }
        // A client of this kind may respond twice.
        for isSecond in world.isOneIn(10) ? [false, true] : [false] {
            responder.call("Respond", .object(parameters), in: world) { [self] reply in
                check(reply, to: one, outcome, isSecond: isSecond, in: world)
            }
        }
    }

    private func check(
        _ reply: Result<JSONValue, CallError>, to one: Work, _ outcome: Ask.Outcome, isSecond: Bool, in world: World
    ) {
        one.isSettled = true
        switch reply {
        case .success:
            if isSecond { return world.fail("a second response is taken") }
            if one.ask.accepted != nil { return world.fail("two responses to \(one.ask.url) are taken") }
            one.ask.accepted = outcome
            if let answer = one.ask.outcome, answer != outcome {
                world.fail("\(one.ask.url) was answered otherwise before its receiver has responded")
            }
        case .failure(let error):
            switch error.name {
            case "TooLate":
                let isLate =
                    one.ask.isAbandoned || world.time >= one.deadline || world.ledger.stopCount > 0
                    || socket.isOver
                if !isLate { world.fail("the response to \(one.ask.url) came in time, and is TooLate") }
            case "AlreadyAnswered": if !isSecond { world.fail("a first response is AlreadyAnswered") }
            default: world.fail("the response to \(one.ask.url) is \(error.name)")
            }
        }
    }
}
