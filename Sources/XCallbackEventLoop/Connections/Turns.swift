/// Connections in a linked list, so that a turn costs almost nothing.
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

/// Work for many clients that an account has caused, done in one piece per turn.
private final class Work {
    /// Does a piece, and returns whether it was the last one.
    let body: () -> Bool
    var next: Work?

    init(_ body: @escaping () -> Bool) {
        self.body = body
    }
}

/// The pending work of an account: its connections, and the work that they have caused.
struct AccountTurns {
    /// The maximum number of new connections that get their turns before one of the others.
    private static let newLimit = 16

    /// Connections that had nothing to do before their last event.
    private var new = ConnectionRow()
    /// Connections that used their last turn completely.
    private var rest = ConnectionRow()
    private var newCount = 0
    /// The work, in order; until it is done, the connections that used their last turn completely wait.
    private var firstWork: Work?
    private var lastWork: Work?
    /// The next account in the list of accounts with such connections.
    fileprivate var next: Account?

    /// Whether nothing is pending.
    fileprivate var isEmpty: Bool { new.isEmpty && rest.isEmpty && firstWork == nil }

    /// Whether work is pending.
    var hasWork: Bool { firstWork != nil }

    fileprivate mutating func add(_ work: Work) {
        if let lastWork { lastWork.next = work } else { firstWork = work }
        lastWork = work
    }

    /// Releases all work iteratively: a recursive release would be as deep as the list is long.
    mutating func removeWork() {
        while takeWork() != nil {}
    }

    /// Takes the first piece of work.
    fileprivate mutating func takeWork() -> Work? {
        guard let work = firstWork else { return nil }
        firstWork = work.next.take()
        if firstWork == nil { lastWork = nil }
        return work
    }

    /// Puts unfinished work back.
    fileprivate mutating func putBack(_ work: Work) {
        work.next = firstWork
        firstWork = work
        if lastWork == nil { lastWork = work }
    }

    fileprivate mutating func add(_ connection: Connection) {
        if connection.need == .room { rest.append(connection) } else { new.append(connection) }
    }

    /// Takes the connection with the next turn; nil if the work has it.
    fileprivate mutating func popFirst() -> Connection? {
        if newCount < Self.newLimit || rest.isEmpty && !hasWork, let connection = new.popFirst() {
            newCount += 1
            return connection
        }
        newCount = 0
        return hasWork ? nil : rest.popFirst()
    }
}

/// The connections with pending work: accounts take turns, and within an account, connections that are active now and
/// then come before those that always are.
struct ReadyList {
    private var first: Account?
    private var last: Account?

    /// Whether nothing is pending.
    var isEmpty: Bool { first == nil }

    /// The account with the next turn; nil if there is none.
    fileprivate var nextAccount: Account? { first }

    /// Adds a connection, unless it already waits for its turn.
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

    /// Takes the connection with the next turn, which may be closed by now; nil if work has the turn, or nothing is pending.
    mutating func next() -> Connection? {
        guard let account = first, let connection = account.turns.popFirst() else { return nil }
        connection.isReady = false
        if account.turns.isEmpty || account.turns.next != nil { moveOn(from: account) }
        return connection
    }

    /// Takes the work with the next turn.
    fileprivate mutating func nextWork() -> (work: Work, account: Account)? {
        guard let account = first, let work = account.turns.takeWork() else { return nil }
        if account.turns.isEmpty || account.turns.next != nil { moveOn(from: account) }
        return (work, account)
    }

    /// Removes everything.
    mutating func removeAll() {
        while next() != nil || nextWork() != nil {}
    }

    /// Gives the turn to the next account.
    private mutating func moveOn(from account: Account) {
        first = account.turns.next.take()
        if first == nil { last = nil }
        if !account.turns.isEmpty { append(account) }
    }

    /// Postpones the rest of the work.
    fileprivate mutating func putBack(_ work: Work, for account: Account) {
        if account.turns.isEmpty { append(account) }
        account.turns.putBack(work)
    }
}

/// How long a session may work before others get their turns.
package struct Turn {
    /// The maximum number of requests.
    private static let requestLimit = 64
    /// The time limit, in nanoseconds.
    private static let timeLimit: Int64 = 500_000
    /// The number of requests between two checks whether the turn is over.
    package static var step: Int { 16 }

    private let end: Int64

    fileprivate init(from time: Int64) {
        end = time + Self.timeLimit
    }

    /// Whether the turn is over after a number of requests.
    package func isOver(after count: Int) -> Bool { count >= Self.requestLimit || monotonicTime() >= end }
}

extension EventLoop {
    /// The number of connections that get turns between two rounds of sending.
    private static let roundLimit = 16

    /// Starts a turn.
    package func beginTurn() -> Turn { Turn(from: time) }

    /// Gives turns to a few connections, and sends their answers.
    func takeTurns(_ buffers: inout Buffers) {
        for _ in 0..<Self.roundLimit {
            guard let connection = ready.next() else {
                doWork()
                break
            }
            guard connections[connection.id] === connection else { continue }
            takeTurn(connection, &buffers)
            // A connection that is not finished has used up the time.
            if buffers.inbox.isFull || buffers.outbox.isFull || connection.need == .room { break }
            // The other accounts wait only for a small amount of input of an account.
            if buffers.inbox.isLong, ready.nextAccount !== connection.account { break }
        }
        processBatch(&buffers)
    }

    private func doWork() {
        guard let (work, account) = ready.nextWork() else { return }
        if !work.body() { ready.putBack(work, for: account) }
    }

    /// Adds work that is done in turns of an account: work for many clients that the account has caused.
    ///
    /// - Parameters:
    ///   - account: The account that has caused it.
    ///   - body: Does a piece of the work, and returns whether it was the last one.
    package func addWork(for account: Account, _ body: @escaping () -> Bool) {
        ready.add(Work(body), for: account)
    }
}
