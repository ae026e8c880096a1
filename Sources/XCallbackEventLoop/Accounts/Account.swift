/// How requests of an account come.
package enum AccountClass: String, CaseIterable, Sendable {
    /// From programs, over the socket.
    case socket
    /// From the desktop.
    case desktop
    /// From an assistant.
    case agent
}

/// Whose an account is, and how its requests come.
package struct AccountName: Hashable, Sendable, CustomStringConvertible {
    package let owner: Owner
    package let kind: AccountClass

    /// Creates the name of an account.
    package init(owner: Owner, kind: AccountClass) {
        self.owner = owner
        self.kind = kind
    }

    /// Whether it is that of one user.
    private var isOfOne: Bool { owner != .unlistedUsers }

    /// The beginning of a sentence: which account has reached a limit, or that all together have.
    package static func reachedLimit(_ account: AccountName?) -> String {
        guard let account else { return "All users together have reached a limit" }
        return "\(account) \(account.isOfOne ? "has" : "have") reached a limit"
    }

    package var description: String {
        let name =
            switch owner {
            case .user(let userID): "User \(userID)"
            case .unlistedUsers: "All unknown users together"
            }
        return kind == .socket ? name : "\(name) (\(kind.rawValue))"
    }
}

/// What one owner holds of the daemon, however many connections it has; it lives on the event loop.
package final class Account {
    package let name: AccountName
    /// Nil if it has no limits and is counted with nobody's.
    private weak var accounts: Accounts?
    private var used: [Int] = Array(repeating: 0, count: Resource.allCases.count)

    /// Its connections that have something to do, in the order of their turns; each knows the one behind it.
    var turns = AccountTurns()

    /// Closes descriptors that its clients have passed.
    private(set) lazy var closer = WorkQueue(label: "xcallbackd.closing", isUrgent: false)

    init(_ name: AccountName, in accounts: Accounts?) {
        self.name = name
        self.accounts = accounts
    }

    /// An account without limits, for connections of the process itself.
    package convenience init() {
        self.init(AccountName(owner: .unlistedUsers, kind: .socket), in: nil)
    }

    deinit { turns.removeWork() }

    /// Whether work is left that it has caused (``EventLoop/addWork(for:_:)``).
    package var hasWork: Bool { turns.hasWork }

    /// How much it holds.
    package subscript(resource: Resource) -> Int { used[resource.rawValue] }

    /// Whether it holds nothing.
    var isEmpty: Bool { used.allSatisfy { $0 == 0 } }

    /// How much it may hold.
    package func limit(of resource: Resource) -> Int {
        accounts.map { $0.allowances[resource][share(of: $0)] } ?? .max
    }

    /// How much of another number is its share, as of the number that all accounts may hold together; at least 1.
    package func share(of resource: Resource, as all: Int) -> Int {
        accounts.map { $0.allowances[resource].scaled(to: all)[share(of: $0)] } ?? all
    }

    private func share(of accounts: Accounts) -> Allowance.Share {
        switch name.kind {
        case .desktop: .desktop
        case .agent: .agent
        case .socket: name.owner == .user(0) || name.owner == .user(accounts.ownID) ? .own : .user
        }
    }

    /// Takes some more.
    ///
    /// - Throws: ``Excess`` if that is more than it may hold, or than all may; nothing is taken then.
    package func take(_ resource: Resource, _ count: Int = 1) throws(Excess) {
        if let accounts {
            let share = share(of: accounts)
            let limit = accounts.allowances[resource][share]
            let used = used[resource.rawValue]
            guard used + count <= limit else {
                throw Excess(resource: resource, share: share, account: name, used: used, limit: limit, needed: count)
            }
            try accounts.take(resource, count)
        }
        used[resource.rawValue] += count
    }

    /// Takes some more, also beyond its limit: what is there already has to be counted.
    package func hold(_ resource: Resource, _ count: Int) {
        used[resource.rawValue] += count
        accounts?.give(resource, -count)
    }

    /// Whether it holds more than it may, or all do together.
    package func isOverdrawn(_ resource: Resource) -> Bool {
        guard let accounts else { return false }
        return self[resource] > limit(of: resource) || accounts[resource] > accounts.allowances[resource][.all]
    }

    /// Gives back what it has taken.
    package func give(_ resource: Resource, _ count: Int = 1) {
        used[resource.rawValue] -= count
        accounts?.give(resource, count)
    }
}
