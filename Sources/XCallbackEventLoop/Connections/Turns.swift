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

/// Work for many others that somebody has caused, done a piece in each turn.
private final class Work {
    /// Does a piece, and returns whether that was the last one.
    let body: () -> Bool
    var next: Work?

    init(_ body: @escaping () -> Bool) {
        self.body = body
    }
}

/// What an account has to do: its connections, and the work that they have caused.
struct AccountTurns {
    /// How many of those that are new have their turns before one of the others.
    private static let newLimit = 16

    /// Those to which something has happened since they had nothing to do.
    private var new = ConnectionRow()
    /// Those that have used up their last turn.
    private var rest = ConnectionRow()
    private var newCount = 0
    /// The work, in order; until it is done those that have used up their last turn wait.
    private var firstWork: Work?
    private var lastWork: Work?
    /// The account behind it in the list of those that have such connections.
    fileprivate var next: Account?

    /// Whether nothing is to be done.
    fileprivate var isEmpty: Bool { new.isEmpty && rest.isEmpty && firstWork == nil }

    /// Whether there is work.
    var hasWork: Bool { firstWork != nil }

    fileprivate mutating func add(_ work: Work) {
        if let lastWork { lastWork.next = work } else { firstWork = work }
        lastWork = work
    }

    /// Lets all work go, one after the other: as a chain it would be as deep as there is work.
    mutating func removeWork() {
        while takeWork() != nil {}
    }

    /// Takes the work that comes first.
    fileprivate mutating func takeWork() -> Work? {
        guard let work = firstWork else { return nil }
        firstWork = work.next.take()
        if firstWork == nil { lastWork = nil }
        return work
    }

    /// Puts work back of which something is left.
    fileprivate mutating func putBack(_ work: Work) {
        work.next = firstWork
        firstWork = work
        if lastWork == nil { lastWork = work }
    }

    fileprivate mutating func add(_ connection: Connection) {
        if connection.need == .room { rest.append(connection) } else { new.append(connection) }
    }

    /// Takes the connection whose turn it is; nil if it is the work's.
    fileprivate mutating func popFirst() -> Connection? {
        if newCount < Self.newLimit || rest.isEmpty && !hasWork, let connection = new.popFirst() {
            newCount += 1
            return connection
        }
        newCount = 0
        return hasWork ? nil : rest.popFirst()
    }
}

/// The connections that have something to do: accounts have turns one after the other, and within an account who asks
/// now and then comes before who always does.
struct ReadyList {
    private var first: Account?
    private var last: Account?

    /// Whether nothing is to be done.
    var isEmpty: Bool { first == nil }

    /// Whose turn it is; nil if it is nobody's.
    fileprivate var nextAccount: Account? { first }

    /// Adds a connection, if it does not wait for its turn already.
    mutating func add(_ connection: Connection) {
        if connection.isReady { return }
        connection.isReady = true
        let account = connection.account
        if account.turns.isEmpty { append(account) }
        account.turns.add(connection)
    }

    /// Adds work that an account has caused.
    fileprivate mutating func add(_ work: Work, for account: Account) {
        if account.turns.isEmpty { append(account) }
        account.turns.add(work)
    }

    private mutating func append(_ account: Account) {
        if let last { last.turns.next = account } else { first = account }
        last = account
    }

    /// Takes the connection whose turn it is, which may be closed meanwhile; nil if it is that of work, or of nothing.
    mutating func next() -> Connection? {
        guard let account = first, let connection = account.turns.popFirst() else { return nil }
        connection.isReady = false
        if account.turns.isEmpty || account.turns.next != nil { moveOn(from: account) }
        return connection
    }

    /// Takes the work whose turn it is.
    fileprivate mutating func nextWork() -> (work: Work, account: Account)? {
        guard let account = first, let work = account.turns.takeWork() else { return nil }
        if account.turns.isEmpty || account.turns.next != nil { moveOn(from: account) }
        return (work, account)
    }

    /// Lets everything be.
    mutating func removeAll() {
        while next() != nil || nextWork() != nil {}
    }

    /// Lets the next account have its turn.
    private mutating func moveOn(from account: Account) {
        first = account.turns.next.take()
        if first == nil { last = nil }
        if !account.turns.isEmpty { append(account) }
    }

    /// Goes on with work later.
    fileprivate mutating func putBack(_ work: Work, for account: Account) {
        if account.turns.isEmpty { append(account) }
        account.turns.putBack(work)
    }
}

/// How long a session may work before others have their turns.
package struct Turn {
    /// How many requests.
    private static let requestLimit = 64
    /// How long, in nanoseconds.
    private static let timeLimit: Int64 = 500_000
    /// After how many requests a session asks whether its turn is over.
    package static var step: Int { 16 }

    private let end: Int64

    fileprivate init(from time: Int64) {
        end = time + Self.timeLimit
    }

    /// Whether it is over after so many requests.
    package func isOver(after count: Int) -> Bool { count >= Self.requestLimit || monotonicTime() >= end }
}

extension EventLoop {
    /// How many connections have their turns between two rounds of sending.
    private static let roundLimit = 16

    /// A turn that begins now.
    package func beginTurn() -> Turn { Turn(from: time) }

    /// Lets a few connections have their turns, and sends what they answer.
    func takeTurns(_ buffers: inout Buffers) {
        for _ in 0..<Self.roundLimit {
            guard let connection = ready.next() else {
                doWork()
                break
            }
            guard connections[connection.id] === connection else { continue }
            takeTurn(connection, &buffers)
            // One that has not come to its end has used its time up.
            if buffers.inbox.isFull || buffers.outbox.isFull || connection.need == .room { break }
            // Others do not wait for more than little that an account has sent.
            if buffers.inbox.isLong, ready.nextAccount !== connection.account { break }
        }
        workOff(&buffers)
    }

    private func doWork() {
        guard let (work, account) = ready.nextWork() else { return }
        if !work.body() { ready.putBack(work, for: account) }
    }

    /// Lets work be done in the turns of an account: what it has caused for many others.
    ///
    /// - Parameters:
    ///   - account: Who has caused it.
    ///   - body: Does a piece of it, and returns whether that was the last one.
    package func addWork(for account: Account, _ body: @escaping () -> Bool) {
        ready.add(Work(body), for: account)
    }

    private func takeTurn(_ connection: Connection, _ buffers: inout Buffers) {
        let (events, isAwake) = (connection.events, connection.isAwake)
        connection.events = []
        connection.isAwake = false
        if connection.need == .room, !connection.hasUnsent, events.isDisjoint(with: .gone) {
            return resume(connection, &buffers)
        }
        if !events.isEmpty { handle(events, of: connection, &buffers) }
        // The events may have closed it.
        if isAwake, connections[connection.id] === connection { resume(connection, &buffers) }
    }
}
