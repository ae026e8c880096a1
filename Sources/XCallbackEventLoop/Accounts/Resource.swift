/// A resource of the daemon that accounts share.
package enum Resource: Int, CaseIterable, Sendable {
    /// Open connections.
    case connections
    /// Requests that wait for their handlers, or that a receiver still works on after the caller has left.
    case requests
    /// Running programs, including detached ones as far as the daemon knows about them.
    case processes
    /// Calls that receive a stream of replies, and calls to other applications that wait for their answers.
    case streams
    /// Bytes of incomplete input, of unread output, of events, of waiting requests, and of what stages remember.
    case bytes

    /// The name of the setting.
    package var setting: String { properties.setting }

    /// The name of the setting, the noun after the number in a sentence, and the default capacity.
    fileprivate var properties: (setting: String, noun: String, capacity: Int) {
        switch self {
        case .connections: ("connections", "connections", 4096)
        case .requests: ("requests", "requests in progress", 512)
        case .processes: ("processes", "running programs", 64)
        case .streams: ("streams", "streams and outgoing calls", 2048)
        case .bytes: ("bytes", "bytes in memory", 128 << 20)
        }
    }
}

/// How much of each resource all accounts may hold together.
package struct Capacity: Hashable, Sendable {
    private var counts = Resource.allCases.map(\.properties.capacity)

    /// Creates the default capacity.
    package init() {}

    /// The capacity of a resource; at least 1.
    package subscript(resource: Resource) -> Int {
        get { counts[resource.rawValue] }
        set { counts[resource.rawValue] = newValue }
    }
}

/// The part of a capacity that an account, or a group of accounts, may hold.
package enum Share: Hashable, Sendable {
    /// All of it: for all accounts together.
    case all
    /// All but an eighth: for the daemon's own user or root, and for all other users together.
    case most
    /// An eighth, rounded up: for each other user, and for the own user's desktop and assistants.
    case eighth

    /// Returns this part of a capacity.
    package func callAsFunction(of capacity: Int) -> Int {
        switch self {
        case .all: capacity
        case .most: capacity - capacity / 8
        case .eighth: (capacity + 7) / 8
        }
    }

    /// Which part of a setting the limit is, in a sentence.
    fileprivate var phrase: String {
        switch self {
        case .all: ""
        case .most: "seven eighths of "
        case .eighth: "an eighth of "
        }
    }
}

/// The accounts to which a limit applies.
package enum Holder: Hashable, Sendable, CustomStringConvertible {
    case account(AccountName)
    /// All users but the daemon's own and root.
    case otherUsers
    case allUsers

    package var description: String {
        switch self {
        case .account(let name): "\(name)"
        case .otherUsers: "All other users together"
        case .allUsers: "All users together"
        }
    }

    /// The start of a sentence.
    package var hasReachedLimit: String {
        if case .account(let name) = self, name.owner != .unlistedUsers { return "\(self) has reached a limit" }
        return "\(self) have reached a limit"
    }
}

/// The limit of an account, or of many accounts together, is exceeded.
package struct Excess: Error, Hashable, Sendable, CustomStringConvertible {
    /// The resource.
    package let resource: Resource
    /// Who has reached the limit.
    package let holder: Holder
    /// The part of the capacity that is the limit.
    let share: Share
    /// The amount in use.
    package let used: Int
    /// The limit.
    package let limit: Int
    /// The additional amount that was requested.
    package let needed: Int

    /// The setting of the limit.
    package var setting: String { "limits: \(resource.setting)" }

    /// Who has reached the limit, the amount in use, the limit, and its setting.
    package var description: String {
        let more = needed > 1 ? ", and \(needed) more" : ""
        let amount = "\(used) of \(limit) \(resource.properties.noun)\(more)"
        return "\(holder.hasReachedLimit): \(amount) (\(share.phrase)\(setting))."
    }
}
