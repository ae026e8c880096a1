import XCallbackLinux

/// A first-in, first-out queue in one piece of memory, which it keeps.
struct TurnQueue<Element> {
    /// A ring of elements from ``start`` on; the other slots are nil, and their number is a power of two.
    private var slots: [Element?] = []
    private var start = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    var first: Element? { isEmpty ? nil : slots[start] }

    mutating func append(_ element: consuming Element) {
        if count == slots.count {
            slots = slots[start...] + slots[..<start] + Array(repeating: nil, count: max(count, 1))
            start = 0
        }
        slots[(start + count) & (slots.count - 1)] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        if isEmpty { return nil }
        let element = slots[start].take()
        start = (start + 1) & (slots.count - 1)
        count -= 1
        return element
    }
}

/// The pending work of an account: its connections, and the work that they have caused.
struct AccountTurns {
    /// Work for many clients that an account has caused: does a piece, and returns whether it was the last one.
    typealias Work = () -> Bool

    /// The maximum number of new connections that get their turns before one of the others.
    private static let newLimit = 16

    /// Connections that had nothing to do before their last event.
    private var new = TurnQueue<Connection>()
    /// Connections that used their last turn completely.
    private var rest = TurnQueue<Connection>()
    private var newCount = 0
    /// The work, in order; until it is done, the connections that used their last turn completely wait.
    fileprivate var work = TurnQueue<Work>()

    /// Whether nothing is pending.
    fileprivate var isEmpty: Bool { new.isEmpty && rest.isEmpty && work.isEmpty }

    /// Whether work is pending.
    var hasWork: Bool { !work.isEmpty }

    fileprivate mutating func add(_ connection: consuming Connection) {
        if connection.need == .turn { rest.append(connection) } else { new.append(connection) }
    }

    /// Takes the connection with the next turn; nil if the work has it.
    fileprivate mutating func popFirst() -> Connection? {
        if newCount < Self.newLimit || rest.isEmpty && work.isEmpty, let connection = new.popFirst() {
            newCount += 1
            return connection
        }
        newCount = 0
        return hasWork ? nil : rest.popFirst()
    }
}

/// What a connection has to do in its next turn.
struct ConnectionTurn {
    /// Whether the connection waits for its turn.
    var isReady = false
    /// The events of the descriptor since its last turn.
    var events: Poller.Events = []
    /// Whether its session was woken, and has not continued since.
    var isAwake = false
}

/// The connections with pending work: accounts take turns, and within an account, connections that are active now and
/// then come before those that always are.
struct ReadyList {
    private var accounts = TurnQueue<Account>()

    /// Whether nothing is pending.
    var isEmpty: Bool { accounts.isEmpty }

    /// Adds a connection, unless it already waits for its turn.
    mutating func add(_ connection: consuming Connection) {
        if connection.turn.isReady { return }
        connection.turn.isReady = true
        let account = connection.account
        if account.turns.isEmpty { accounts.append(account) }
        account.turns.add(connection)
    }

    /// Adds work that an account has caused.
    fileprivate mutating func add(_ work: @escaping AccountTurns.Work, for account: Account) {
        if account.turns.isEmpty { accounts.append(account) }
        account.turns.work.append(work)
    }

    /// Takes the connection with the next turn, which may be closed by now; nil if work has the turn, or nothing is pending.
    mutating func next() -> Connection? {
        guard let account = accounts.first, let connection = account.turns.popFirst() else { return nil }
        connection.turn.isReady = false
        moveOn()
        return connection
    }

    /// The account whose work has the next turn.
    fileprivate var nextWorker: Account? { accounts.first }

    /// Gives the turn to the next account.
    fileprivate mutating func moveOn() {
        // Most of the time, all connections have one account, which stays where it is.
        guard let account = accounts.first, accounts.count > 1 || account.turns.isEmpty else { return }
        _ = accounts.popFirst()
        if !account.turns.isEmpty { accounts.append(account) }
    }

    /// Removes everything.
    mutating func removeAll() {
        while let account = accounts.popFirst() { account.turns = AccountTurns() }
    }
}

/// How long a session may work before others get their turns.
package struct Turn {
    /// The maximum number of requests.
    private static let requestLimit = 64
    /// The time limit, in nanoseconds.
    private static let timeLimit: Int64 = 500_000
    /// The number of requests between two checks of the time, so that a few requests at once have one answer.
    private static let step = 16

    private let end: Int64

    fileprivate init(from time: Int64) {
        end = time + Self.timeLimit
    }

    /// Whether the turn is over after a number of requests, at a time in nanoseconds.
    package func isOver(after count: Int, at time: Int64) -> Bool {
        count % Self.step == 0 && (count >= Self.requestLimit || time >= end)
    }
}

extension EventLoop {
    /// Starts a turn.
    package func beginTurn() -> Turn { Turn(from: time) }

    /// Does a piece of the work that has the next turn.
    func doNextWork() {
        guard let account = ready.nextWorker, let work = account.turns.work.first else { return }
        if work() { _ = account.turns.work.popFirst() }
        ready.moveOn()
    }

    /// Adds work that is done in turns of an account: work for many clients that the account has caused.
    ///
    /// - Parameters:
    ///   - account: The account that has caused it.
    ///   - work: Does a piece of the work, and returns whether it was the last one.
    package func addWork(for account: Account, _ work: @escaping () -> Bool) {
        ready.add(work, for: account)
    }
}
