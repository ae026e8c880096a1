import Glibc

/// The accounts of a daemon and their total use of resources; lives on the event loop.
package final class Accounts {
    /// The number of accounts above which unused ones are removed.
    private static let spareLimit = 1024

    /// The interval over which log lines are counted.
    private static let logTime = Duration.seconds(30)

    /// The limits.
    package var allowances = Allowances()
    /// The owners of subordinate user IDs.
    package var owners = OwnerTable("") {
        didSet { users.reset() }
    }
    /// The users that the system's user database lists.
    fileprivate let users = KnownUsers()
    /// The daemon's own user.
    let ownID = geteuid()
    private var accounts: [AccountName: Account] = [:]
    private var used: [Int] = Array(repeating: 0, count: Resource.allCases.count)

    /// The number of accounts at which unused ones are removed next.
    private var removalCount = spareLimit
    /// When the count of log lines restarts.
    private var logEnd = Duration.zero

    init() {}

    /// The account with a name.
    package subscript(name: AccountName) -> Account {
        if let account = accounts[name] { return account }
        if accounts.count >= removalCount { removeUnused() }
        let account = Account(name, in: self)
        accounts[name] = account
        return account
    }

    /// All accounts that use resources.
    package var all: [Account] { accounts.values.filter { !$0.isEmpty } }

    /// The amount of a resource that all accounts use together.
    package subscript(resource: Resource) -> Int { used[resource.rawValue] }

    func take(_ resource: Resource, _ count: Int) throws(Excess) {
        let (used, limit) = (used[resource.rawValue], allowances[resource][.all])
        guard used + count <= limit else {
            throw Excess(resource: resource, share: .all, account: nil, used: used, limit: limit, needed: count)
        }
        self.used[resource.rawValue] += count
    }

    func give(_ resource: Resource, _ count: Int) {
        used[resource.rawValue] -= count
    }

    /// Counts a log line of an account.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - now: The current time.
    /// - Throws: ``Excess`` if the account has caused too many lines.
    package func takeLogLine(for account: Account, at now: Duration) throws(Excess) {
        if now >= logEnd {
            logEnd = now + Self.logTime
            for account in accounts.values { account.give(.logLines, account[.logLines]) }
        }
        try account.take(.logLines)
    }

    /// Removes accounts that use no resources: every account that is referred to uses some.
    private func removeUnused() {
        accounts = accounts.filter { !$0.value.isEmpty }
        removalCount = max(Self.spareLimit, 2 * accounts.count)
    }
}

extension EventLoop {
    /// Returns the account of a user.
    ///
    /// The result can change once a query has found the user in the user database.
    package func account(of userID: UInt32, _ kind: AccountClass) -> Account {
        let owner = accounts.owners.owner(of: userID) { accounts.users.contains($0, on: self) }
        return accounts[AccountName(owner: owner, kind: kind)]
    }
}

/// The limits of all resources.
package struct Allowances: Hashable, Sendable {
    private var allowances: [Allowance] = [
        Allowance(own: 3584, user: 1024, desktop: 64, all: 4096),
        Allowance(own: 448, user: 64, desktop: 16, all: 512),
        Allowance(own: 56, user: 24, desktop: 8, all: 64),
        Allowance(own: 896, user: 256, desktop: 16, all: 1024),
        Allowance(own: 1792, user: 256, desktop: 16, all: 2048),
        // One inspection runs, and the others wait.
        Allowance(own: 17, user: 5, desktop: 5, all: 512),
        Allowance(own: 64 << 20, user: 16 << 20, desktop: 4 << 20, all: 128 << 20),
        Allowance(own: 4000, user: 500, desktop: 200, all: 8000),
    ]

    /// Creates the default limits.
    package init() {}

    /// The limits of a resource.
    package subscript(resource: Resource) -> Allowance {
        get { allowances[resource.rawValue] }
        set { allowances[resource.rawValue] = newValue }
    }
}
