/// The way in which the requests of an account arrive.
package enum AccountClass: String, CaseIterable, Sendable {
    /// From programs, over the socket.
    case socket
    /// From the desktop.
    case desktop
    /// From an assistant.
    case agent
}

/// The name of an account: its owner, and the way in which its requests arrive.
package struct AccountName: Hashable, Sendable, CustomStringConvertible {
    package let owner: Owner
    package let kind: AccountClass

    /// Creates the name of an account.
    package init(owner: Owner, kind: AccountClass) {
        self.owner = owner
        self.kind = kind
    }

    /// Whether the account belongs to a single user.
    private var isOfOne: Bool { owner != .unlistedUsers }

    /// Returns the start of a sentence: which account has reached a limit, or that all accounts together have.
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

/// The resources of the daemon that an owner uses, over all its connections; lives on the event loop.
package final class Account {
    package let name: AccountName
    /// Nil for an account without limits, which counts toward no total.
    private weak var accounts: Accounts?
    private var used: [Int] = Array(repeating: 0, count: Resource.allCases.count)

    /// The account's connections with work to do, as a linked list in the order of their turns.
    var turns = AccountTurns()

    /// Closes descriptors that its clients have passed.
    private(set) lazy var closer = WorkQueue(label: "xcallbackd.closing", isUrgent: false)

    init(_ name: AccountName, in accounts: Accounts?) {
        self.name = name
        self.accounts = accounts
    }

    /// Creates an account without limits, for connections of the process itself.
    package convenience init() {
        self.init(AccountName(owner: .unlistedUsers, kind: .socket), in: nil)
    }

    deinit { turns.removeWork() }

    /// Whether work that the account has caused is pending (``EventLoop/addWork(for:_:)``).
    package var hasWork: Bool { turns.hasWork }

    /// The amount of a resource in use.
    package subscript(resource: Resource) -> Int { used[resource.rawValue] }

    /// Whether the account uses no resources.
    var isEmpty: Bool { used.allSatisfy { $0 == 0 } }

    /// Returns the limit of a resource.
    package func limit(of resource: Resource) -> Int {
        accounts.map { $0.allowances[resource][share(of: $0)] } ?? .max
    }

    /// Returns the account's share of another total, in the same proportion as its share of a resource; at least 1.
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

    /// Takes an amount of a resource.
    ///
    /// - Throws: ``Excess`` if the limit of the account or the total would be exceeded; then nothing is taken.
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

    /// Takes an amount of a resource even beyond the limit: what exists already must be counted.
    package func hold(_ resource: Resource, _ count: Int) {
        used[resource.rawValue] += count
        accounts?.give(resource, -count)
    }

    /// Whether the account or all accounts together exceed the limit of a resource.
    package func isOverdrawn(_ resource: Resource) -> Bool {
        guard let accounts else { return false }
        return self[resource] > limit(of: resource) || accounts[resource] > accounts.allowances[resource][.all]
    }

    /// Gives an amount of a resource back.
    package func give(_ resource: Resource, _ count: Int = 1) {
        used[resource.rawValue] -= count
        accounts?.give(resource, count)
    }
}
