/// Connections in a row, each of which knows the one behind it, as a turn should cost next to nothing.
private struct ConnectionRow {
    private var first: Connection?
    private var last: Connection?

    var isEmpty: Bool { first == nil }

    mutating func append(_ connection: Connection) {
        if let last { last.nextReady = connection } else { first = connection }
        last = connection
    }

    mutating func popFirst() -> Connection? {
        guard let connection = first else { return nil }
        first = connection.nextReady.take()
        if first == nil { last = nil }
        return connection
    }
}

/// The connections of an account that have something to do.
struct AccountTurns {
    /// How many of those that are new have their turns before one of the others.
    private static let newLimit = 16

    /// Those to which something has happened since they had nothing to do.
    private var new = ConnectionRow()
    /// Those that have used up their last turn.
    private var rest = ConnectionRow()
    private var newCount = 0
    /// The account behind it in the list of those that have such connections.
    fileprivate var next: Account?

    /// Whether nothing is to be done.
    fileprivate var isEmpty: Bool { new.isEmpty && rest.isEmpty }

    fileprivate mutating func add(_ connection: Connection) {
        if connection.need == .room { rest.append(connection) } else { new.append(connection) }
    }

    /// Takes the connection whose turn it is.
    fileprivate mutating func popFirst() -> Connection? {
        if newCount < Self.newLimit || rest.isEmpty, let connection = new.popFirst() {
            newCount += 1
            return connection
        }
        newCount = 0
        return rest.popFirst()
    }
}

/// The connections that have something to do: accounts have turns one after the other, and within an account who asks
/// now and then comes before who always does.
struct ReadyList {
    private var first: Account?
    private var last: Account?

    /// Whether nothing is to be done.
    var isEmpty: Bool { first == nil }

    /// Adds a connection, if it does not wait for its turn already.
    mutating func add(_ connection: Connection) {
        if connection.isReady { return }
        connection.isReady = true
        let account = connection.account
        if account.turns.isEmpty { append(account) }
        account.turns.add(connection)
    }

    private mutating func append(_ account: Account) {
        if let last { last.turns.next = account } else { first = account }
        last = account
    }

    /// Takes the connection whose turn it is; it may be closed meanwhile.
    mutating func next() -> Connection? {
        guard let account = first, let connection = account.turns.popFirst() else { return nil }
        connection.isReady = false
        let isEmpty = account.turns.isEmpty
        if !isEmpty, account.turns.next == nil { return connection }
        first = account.turns.next.take()
        if first == nil { last = nil }
        if !isEmpty { append(account) }
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
    /// - Parameter isLong: Whether it may have taken long, as others were told of it.
    /// - Returns: Whether the turn is over.
    package mutating func endRequest(isLong: Bool) -> Bool {
        count += 1
        return (isLong || count % Self.step == 0) && (count >= Self.requestLimit || monotonicTime() >= end)
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
