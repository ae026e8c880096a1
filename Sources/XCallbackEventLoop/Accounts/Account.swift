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
    /// Always ``AccountClass/socket`` unless the owner is the daemon's own user or root.
    package let kind: AccountClass

    package var description: String {
        let name =
            switch owner {
            case .user(let userID): "User \(userID)"
            case .unlistedUsers: "All unknown users together"
            }
        return kind == .socket ? name : "\(name) (\(kind.rawValue))"
    }
}

/// What an owner holds of the daemon's resources, over all its connections; lives on the event loop.
///
/// The daemon's own user and root have an account for each class; that of the socket includes the others. Another user has
/// one account, whatever classes its clients declare.
package final class Account {
    package let name: AccountName
    /// Nil for an account without limits, which counts toward no total.
    private weak var accounts: Accounts?
    /// The account that includes this one.
    private let whole: Account?
    /// Whether the owner is neither the daemon's own user nor root.
    let isOfOtherUser: Bool
    private var used: [Int] = Array(repeating: 0, count: Resource.allCases.count)

    /// The buckets of `rate` policies: when a steady stream would send its next event, by the number of the bucket.
    @exclusivity(unchecked) var buckets: [UInt64: Int64] = [:]

    /// The account's connections with work to do, in the order of their turns.
    @exclusivity(unchecked) var turns = AccountTurns()

    /// Closes descriptors that its clients have passed.
    private(set) lazy var closer = WorkQueue()

    init(_ name: AccountName, in accounts: Accounts?, whole: Account?, isOfOtherUser: Bool) {
        self.name = name
        self.accounts = accounts
        self.whole = whole
        self.isOfOtherUser = isOfOtherUser
    }

    /// Creates an account without limits, for connections of the process itself.
    package convenience init() {
        self.init(AccountName(owner: .unlistedUsers, kind: .socket), in: nil, whole: nil, isOfOtherUser: false)
    }

    /// Whether work that the account has caused is pending (``EventLoop/addWork(for:_:)``).
    package var hasWork: Bool { turns.hasWork }

    /// The amount of a resource in use.
    package subscript(resource: Resource) -> Int { used[resource.rawValue] }

    /// Whether the account uses no resources.
    var isEmpty: Bool { used.allSatisfy { $0 == 0 } }

    /// The part of each capacity that the account may hold.
    package var share: Share {
        if accounts == nil { return .all }
        return isOfOtherUser || whole != nil ? .eighth : .most
    }

    /// Returns the limit of a resource.
    package func limit(of resource: Resource) -> Int {
        accounts.map { share(of: $0.capacity[resource]) } ?? .max
    }

    /// Takes an amount of a resource.
    ///
    /// - Throws: ``Excess`` if a limit would be exceeded; then nothing is taken.
    package func take(_ resource: Resource, _ count: Int = 1) throws(Excess) {
        try checkRoom(resource, count)
        hold(resource, count)
    }

    /// Checks whether the limits allow another amount of a resource.
    ///
    /// - Throws: ``Excess`` if they do not.
    package func checkRoom(_ resource: Resource, _ count: Int) throws(Excess) {
        guard let accounts else { return }
        try check(resource, count, in: accounts)
        try whole?.check(resource, count, in: accounts)
        try accounts.check(resource, count, isOfOtherUser: isOfOtherUser)
    }

    /// Takes one unit of a resource, and bytes that it holds.
    ///
    /// - Throws: ``Excess`` if a limit would be exceeded; then nothing is taken.
    package func take(_ resource: Resource, bytes count: Int) throws(Excess) {
        try take(resource)
        do throws(Excess) {
            try take(.bytes, count)
        } catch {
            give(resource)
            throw error
        }
    }

    /// Takes an amount of a resource even beyond the limit: what exists already must be counted.
    package func hold(_ resource: Resource, _ count: Int) {
        used[resource.rawValue] += count
        whole?.used[resource.rawValue] += count
        accounts?.add(count, of: resource, isOfOtherUser: isOfOtherUser)
    }

    /// Gives an amount of a resource back.
    package func give(_ resource: Resource, _ count: Int = 1) {
        hold(resource, -count)
    }

    /// Whether a limit of a resource is exceeded.
    package func isOverdrawn(_ resource: Resource) -> Bool {
        do throws(Excess) {
            try checkRoom(resource, 0)
            return false
        } catch {
            return true
        }
    }

    private func check(_ resource: Resource, _ count: Int, in accounts: Accounts) throws(Excess) {
        try accounts.check(resource, count, used: self[resource], by: .account(name), share)
    }
}
