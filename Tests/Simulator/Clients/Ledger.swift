import XCallbackWire

/// What was asked, and what has come of it.
struct Ledger {
    /// The requests, by number.
    var asks: [Int: Ask] = [:]
    /// Whether clients can connect.
    var listens = true
    /// What the daemon serves.
    var configurations = ServedConfigurations()
    /// How often the daemon was told to stop, and when first.
    var stopCount = 0
    var stopTime = Int64.max
    /// Whether a client has no answer because the daemon has ended.
    var hasLost = false
    /// Whether somebody could not be accepted though the daemon is to stop.
    var hasRefused = false
    /// Whether the daemon says that clients may have no answers.
    var saysLoss = false

    /// Makes a number that no other request has.
    mutating func add(_ kind: Ask.Kind, over socket: SimulatedSocket) -> Ask {
        let ask = Ask(asks.count + 1, kind, over: socket, since: configurations.oldest)
        asks[ask.id] = ask
        return ask
    }

    /// Whether the time is over in which a daemon that was told to stop finishes requests (`drain-time`).
    func isDrainOver(at time: Int64) -> Bool { stopCount > 0 && time - stopTime >= 30_000_000_000 }

    /// Whether the time is over in which clients of such a daemon can read the rest of a stream.
    func isStreamGraceOver(at time: Int64) -> Bool { stopCount > 0 && time - stopTime >= 1_000_000_000 }

    /// Whether routes were missing at some time since a configuration was the oldest.
    func hasMissedRoutes(since number: Int) -> Bool {
        configurations.contains(since: number) { $0 == .few }
    }

    /// Whether limits were low at some time since a configuration was the oldest.
    func wasTight(since number: Int) -> Bool {
        configurations.contains(since: number) { $0 == .tight }
    }
}

/// A request, which gets exactly one answer.
final class Ask {
    /// The routes of the simulated configuration.
    enum Kind: String, CaseIterable {
        /// Answered at once, by its own handler or after a redirect.
        case now, go
        /// Runs a program, to its end or not.
        case run, start
        /// Runs a program after two others have agreed.
        case ask
        /// Handed to a receiver, at once or when there is one.
        case give, hold
        /// Handed to a receiver that is started for it.
        case wake
        /// Published.
        case tell
        /// There is no such route.
        case none
    }

    /// What an answer is.
    enum Outcome: String {
        case success = "s"
        case error = "e"
        case cancel = "c"
    }

    let id: Int
    let kind: Kind
    private let socket: SimulatedSocket
    /// The configuration that was the oldest when it was made.
    private let configuration: Int
    /// When all of it was on its way that ever will be; nil if more will.
    var sentTime: Int64?
    /// The answer; nil until its client has read it.
    var outcome: Outcome?
    private var progressCount: Int64 = 0
    /// Whether the daemon has taken the answer of an application to it.
    var isReturned = false
    /// What a receiver has responded, and the daemon taken.
    var accepted: Outcome?
    /// Whether its connection is closed, by one side or the other.
    var isAbandoned: Bool { socket.isOver }
    /// Whether nobody waits for it any more, and the daemon knows.
    var isOver: Bool { outcome != nil || socket.daemonHasClosed }

    init(_ id: Int, _ kind: Kind, over socket: SimulatedSocket, since configuration: Int) {
        self.id = id
        self.kind = kind
        self.socket = socket
        self.configuration = configuration
    }

    /// The URL that is asked for; each answer holds the number.
    var url: String {
        "sim:/\(kind.rawValue)/\(id)?x-success=app:/s/\(id)&x-error=app:/e/\(id)&x-cancel=app:/c/\(id)"
    }

    /// Takes what its handler says of how far it is.
    func take(progress: JSONValue, of userID: UInt32, in world: World) {
        if outcome != nil { return world.fail("progress comes after the answer to \(url)") }
        if userID != world.ownID { return world.fail("another user gets the progress of \(url)") }
        if ![.run, .ask, .give, .hold, .wake].contains(kind) { return world.fail("\(url) has progress") }
        progressCount += 1
        let time = world.time - (sentTime ?? world.time)
        if progressCount > 1 + time / 250_000_000 { world.fail("\(url) has progress more than four times a second") }
        if !["\(id)", "it failed"].contains(progress["text"]?.text) {
            world.fail("\(progress) is the progress of another request than \(url)")
        }
    }

    /// Takes an answer.
    func take(_ answer: String, in world: World) {
        let parts = answer.dropFirst("app:/".count).split(separator: "?", maxSplits: 1)
        let path = parts.first?.split(separator: "/") ?? []
        guard answer.hasPrefix("app:/"), path.count == 2, let outcome = Outcome(rawValue: String(path[0])) else {
            return world.fail("'\(answer)' is no answer to \(url)")
        }
        guard path[1] == "\(id)" else { return world.fail("'\(answer)' is the answer to another request than \(url)") }
        if self.outcome != nil { return world.fail("a second answer to \(url): '\(answer)'") }
        self.outcome = outcome
        check(outcome, items: parts.count > 1 ? parts[1].split(separator: "&").map(String.init) : [], answer, in: world)
    }

    private func check(_ outcome: Outcome, items: [String], _ answer: String, in world: World) {
        if let accepted, accepted != outcome {
            return world.fail("\(url): its receiver has responded \(accepted), and the answer is '\(answer)'")
        }
        let isRight =
            switch outcome {
            case .success: isRight(success: items, in: world)
            case .cancel: [.run, .start, .ask, .give, .hold, .wake].contains(kind)
            case .error:
                isRight(
                    error: items.first.flatMap { Int($0.dropFirst("errorCode=".count)) } ?? 0,
                    message: items.last ?? "", in: world)
            }
        if !isRight { world.fail("'\(answer)' cannot be the answer to \(url)") }
    }

    private func isRight(success items: [String], in world: World) -> Bool {
        if [.give, .hold, .wake, .tell].contains(kind),
            !world.ledger.configurations.contains(since: configuration, where: { $0 != .few })
        {
            return false
        }
        return switch kind {
        case .now, .go, .give, .hold, .wake: items == ["id=\(id)"]
        case .run, .ask: items == ["result=\(id)"]
        case .start: items.isEmpty
        case .tell: items.first?.hasPrefix("reached=") == true
        case .none: false
        }
    }

    private func isRight(error code: Int, message: String, in world: World) -> Bool {
        let isMissing = code == 404 && world.ledger.hasMissedRoutes(since: configuration)
        let isTooMuch = code == 429 && world.ledger.wasTight(since: configuration)
        // There are limits of what programs write, of how many of a route run, and of how many of a user.
        let isLimit =
            code == 429
            && (message.contains("output") || message.contains("of%20this%20route")
                || message.contains("running%20programs") && world.processes.count >= 8)
        return switch kind {
        case .now, .go: false
        case .run, .start: [3, 500, 503, 504].contains(code) || isTooMuch || isLimit
        case .ask: [3, 403, 500, 503, 504].contains(code) || isTooMuch || isLimit
        case .give, .hold, .wake: [42, 503, 504].contains(code) || isTooMuch || isMissing
        case .tell: isTooMuch || isMissing
        case .none: code == 404
        }
    }
}
