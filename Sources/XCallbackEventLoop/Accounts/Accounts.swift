import Glibc

/// The accounts of a daemon and their total use of resources; lives on the event loop.
package final class Accounts {
    /// The number of accounts above which unused ones are removed.
    private static let spareLimit = 1024

    /// The interval over which log lines are counted.
    private static let logTime = Duration.seconds(30)

    /// How much all accounts may hold together.
    package var capacity = Capacity()
    /// The number of log lines that an account may cause within 30 seconds.
    package var logLineLimit = Int.max
    /// The owners of subordinate user IDs.
    package var owners = OwnerTable("") {
        didSet {
            users.reset()
            latest = nil
        }
    }
    /// The account that was looked up last, as consecutive requests mostly have the same.
    fileprivate var latest: (userID: UInt32, kind: AccountClass, account: Account)?
    /// The buckets of the rates that all users share: as many as the configuration has.
    package let shared = Account()
    /// The users that the system's user database lists.
    fileprivate let users = KnownUsers()
    private let ownID = geteuid()
    private var accounts: [AccountName: Account] = [:]
    private var used: [Int] = Array(repeating: 0, count: Resource.allCases.count)
    /// What other users than the daemon's own and root use.
    private var usedByOthers: [Int] = Array(repeating: 0, count: Resource.allCases.count)

    /// The number of accounts at which unused ones are removed next.
    private var removalCount = spareLimit
    /// The log lines of each account since the count was restarted.
    private var logLines: [AccountName: Int] = [:]
    /// When the count of log lines restarts.
    private var logEnd = Duration.zero

    init() {}

    /// The account of an owner for a class.
    package subscript(owner: Owner, kind: AccountClass) -> Account {
        let isOfOtherUser = owner != .user(0) && owner != .user(ownID)
        let name = AccountName(owner: owner, kind: isOfOtherUser ? .socket : kind)
        if let account = accounts[name] { return account }
        if accounts.count >= removalCount { removeUnused() }
        let whole = name.kind == .socket ? nil : self[owner, .socket]
        let account = Account(name, in: self, whole: whole, isOfOtherUser: isOfOtherUser)
        accounts[name] = account
        return account
    }

    /// Lists the accounts.
    ///
    /// - Parameter now: The current time in nanoseconds.
    /// - Returns: All accounts that use resources.
    package func all(at now: Int64) -> [Account] {
        for account in accounts.values { account.removeFullBuckets(at: now) }
        return accounts.values.filter { !$0.isEmpty }
    }

    /// The amount of a resource that all accounts use together.
    package subscript(resource: Resource) -> Int { used[resource.rawValue] }

    /// Checks whether the totals allow another amount of a resource.
    func check(_ resource: Resource, _ count: Int, isOfOtherUser: Bool) throws(Excess) {
        try check(resource, count, used: used[resource.rawValue], by: .allUsers, .all)
        guard isOfOtherUser else { return }
        try check(resource, count, used: usedByOthers[resource.rawValue], by: .otherUsers, .most)
    }

    func check(
        _ resource: Resource, _ count: Int, used: Int, by holder: Holder, _ share: Share
    ) throws(Excess) {
        let limit = share(of: capacity[resource])
        guard used + count <= limit else {
            throw Excess(resource: resource, holder: holder, share: share, used: used, limit: limit, needed: count)
        }
    }

    /// Changes the totals of a resource.
    func add(_ count: Int, of resource: Resource, isOfOtherUser: Bool) {
        used[resource.rawValue] += count
        if isOfOtherUser { usedByOthers[resource.rawValue] += count }
    }

    /// Counts a log line of an account.
    ///
    /// - Returns: Whether the account may cause the line.
    package func takeLogLine(of name: AccountName, at now: Duration) -> Bool {
        if now >= logEnd {
            logEnd = now + Self.logTime
            logLines = [:]
        }
        guard logLines[name, default: 0] < logLineLimit else { return false }
        logLines[name, default: 0] += 1
        return true
    }

    /// Removes accounts that use no resources: every account that is referred to uses some.
    private func removeUnused() {
        latest = nil
        accounts = accounts.filter { !$0.value.isEmpty }
        removalCount = max(Self.spareLimit, 2 * accounts.count)
    }
}

extension Accounts {
    /// Returns the account of a user if it was looked up last, without a need for the loop.
    package func latestAccount(of userID: UInt32, _ kind: AccountClass) -> Account? {
        guard let latest, latest.userID == userID, latest.kind == kind else { return nil }
        return latest.account
    }
}

extension EventLoop {
    /// Returns the account of a user.
    ///
    /// The result can change once a query has found the user in the user database.
    package func account(of userID: UInt32, _ kind: AccountClass) -> Account {
        if let account = accounts.latestAccount(of: userID, kind) { return account }
        let owner = accounts.owners.owner(of: userID) { accounts.users.contains($0, on: self) }
        let account = accounts[owner, kind]
        // A query can still find an unlisted user.
        accounts.latest = owner == .unlistedUsers ? nil : (userID, kind, account)
        return account
    }
}
