/// Whose turns are counted together: however many connections it has, it has one turn when each other one has one.
package final class TurnAccount {
    /// Its connections that have something to do, in the order of their turns; each knows the one behind it.
    fileprivate var first: Connection?
    fileprivate var last: Connection?
    /// The account behind it, while it has such connections.
    fileprivate var next: TurnAccount?

    /// Creates an account without connections.
    package init() {}
}

/// The connections that have something to do; accounts have turns one after the other, and so have the connections of
/// each.
///
/// The lists go through their members, as a turn of a connection should cost next to nothing.
struct ReadyList {
    private var first: TurnAccount?
    private var last: TurnAccount?

    /// Whether nothing is to be done.
    var isEmpty: Bool { first == nil }

    /// Adds a connection, if it does not wait for its turn already.
    mutating func add(_ connection: Connection) {
        if connection.isReady { return }
        connection.isReady = true
        let account = connection.account
        if let last = account.last {
            last.nextReady = connection
        } else {
            account.first = connection
            append(account)
        }
        account.last = connection
    }

    private mutating func append(_ account: TurnAccount) {
        if let last { last.next = account } else { first = account }
        last = account
    }

    /// Takes the connection whose turn it is; it may be closed meanwhile.
    mutating func next() -> Connection? {
        guard let account = first, let connection = account.first else { return nil }
        connection.isReady = false
        account.first = connection.nextReady.take()
        if account.first == nil { account.last = nil }
        if account.next == nil, account.first != nil { return connection }
        first = account.next.take()
        if first == nil { last = nil }
        if account.first != nil { append(account) }
        return connection
    }
}

/// How long a session may work before others have their turns.
package struct Turn {
    /// How many requests.
    private static let requestLimit = 64
    /// How many requests go by between two looks at the clock.
    private static let step = 16
    /// How long, in nanoseconds.
    private static let timeLimit: Int64 = 500_000

    private let end: Int64
    private var count = 0

    fileprivate init(from time: Int64) {
        end = time + Self.timeLimit
    }

    /// Notes that a request is answered.
    ///
    /// - Returns: Whether the turn is over.
    package mutating func endRequest() -> Bool {
        count += 1
        return count % Self.step == 0 && (count >= Self.requestLimit || monotonicTime() >= end)
    }
}

extension EventLoop {
    /// How many connections have their turns between two rounds of sending.
    private static let roundLimit = 16

    /// A turn that begins now.
    package func beginTurn() -> Turn { Turn(from: time) }

    /// Lets a few connections have their turns, and sends what they answer.
    func takeTurns(_ buffers: inout Buffers) {
        for _ in 0..<Self.roundLimit {
            guard let connection = ready.next() else { break }
            guard connections[connection.id] === connection else { continue }
            takeTurn(connection, &buffers)
            // One that has not come to its end has used its time up.
            if buffers.inbox.isFull || buffers.outbox.isFull || connection.need == .room { break }
        }
        workOff(&buffers)
    }

    private func takeTurn(_ connection: Connection, _ buffers: inout Buffers) {
        let (events, isAwake) = (connection.events, connection.isAwake)
        connection.events = []
        connection.isAwake = false
        if connection.need == .room, !connection.hasUnsent, events.isDisjoint(with: .gone) {
            return resume(connection, &buffers)
        }
        if !events.isEmpty { handle(events, of: connection, &buffers) }
        if isAwake { resume(connection, &buffers) }
    }
}
