import Glibc

/// The accounts of a daemon, and what they hold together; it lives on the event loop.
package final class Accounts {
    /// How many accounts there are at least before those are forgotten that hold nothing.
    private static let spareLimit = 1024

    /// For how long lines of the log are counted.
    private static let logTime = Duration.seconds(30)

    /// How much may be held.
    package var allowances = Allowances()
    /// Whose subordinate users there are.
    package var owners = OwnerTable("") {
        didSet { users.reset() }
    }
    /// Which users the system knows.
    fileprivate let users = KnownUsers()
    /// The daemon's own user.
    let ownID = geteuid()
    private var accounts: [AccountName: Account] = [:]
    private var used: [Int] = Array(repeating: 0, count: Resource.allCases.count)

    /// At how many accounts those are forgotten that hold nothing.
    private var removalCount = spareLimit
    /// When the lines of the log are counted anew.
    private var logEnd = Duration.zero

    init() {}

    /// The account of a name.
    package subscript(name: AccountName) -> Account {
        if let account = accounts[name] { return account }
        if accounts.count >= removalCount { removeUnused() }
        let account = Account(name, in: self)
        accounts[name] = account
        return account
    }

    /// All that hold something.
    package var all: [Account] { accounts.values.filter { !$0.isEmpty } }

    /// How much is held by all together.
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

    /// Takes a line of the log for an account.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - now: The time.
    /// - Throws: ``Excess`` if it has caused too many.
    package func takeLogLine(for account: Account, at now: Duration) throws(Excess) {
        if now >= logEnd {
            logEnd = now + Self.logTime
            for account in accounts.values { account.give(.logLines, account[.logLines]) }
        }
        try account.take(.logLines)
    }

    /// Forgets accounts that hold nothing: whoever knows one has it hold something.
    private func removeUnused() {
        accounts = accounts.filter { !$0.value.isEmpty }
        removalCount = max(Self.spareLimit, 2 * accounts.count)
    }
}

extension EventLoop {
    /// The account of a user.
    ///
    /// It may be another one the next time, as soon as the system is known to know the user.
    package func account(of userID: UInt32, _ kind: AccountClass) -> Account {
        let owner = accounts.owners.owner(of: userID) { accounts.users.contains($0, on: self) }
        return accounts[AccountName(owner: owner, kind: kind)]
    }
}

/// How much accounts may hold of everything.
package struct Allowances: Hashable, Sendable {
    private var allowances: [Allowance] = [
        Allowance(own: 3584, user: 1024, desktop: 64, all: 4096),
        Allowance(own: 448, user: 64, desktop: 16, all: 512),
        Allowance(own: 56, user: 24, desktop: 8, all: 64),
        Allowance(own: 896, user: 256, desktop: 16, all: 1024),
        Allowance(own: 1792, user: 256, desktop: 16, all: 2048),
        // One runs, the others wait.
        Allowance(own: 17, user: 5, desktop: 5, all: 512),
        Allowance(own: 64 << 20, user: 16 << 20, desktop: 4 << 20, all: 128 << 20),
        Allowance(own: 4000, user: 500, desktop: 200, all: 8000),
    ]

    /// Creates those that hold where the configuration says nothing.
    package init() {}

    /// How much they may hold of a resource.
    package subscript(resource: Resource) -> Allowance {
        get { allowances[resource.rawValue] }
        set { allowances[resource.rawValue] = newValue }
    }
}
