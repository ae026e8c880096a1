/// A resource of the daemon that counts toward an account.
package enum Resource: Int, CaseIterable, Sendable {
    /// Open connections.
    case connections
    /// Requests that wait for their handlers, or that a receiver still works on after the caller has left.
    case requests
    /// Running programs, including detached ones as far as the daemon knows about them.
    case processes
    /// Calls to other applications that wait for their answers.
    case outgoingCalls
    /// Calls that receive a stream of replies.
    case streams
    /// Inspections that run or wait for their turn.
    case inspections
    /// Bytes of incomplete input, of output that the client has not read, and of events.
    case bytes
    /// Log lines within 30 seconds.
    case logLines

    /// The name of the setting.
    package var setting: String {
        switch self {
        case .connections: "connections"
        case .requests: "requests"
        case .processes: "processes"
        case .outgoingCalls: "outgoing-calls"
        case .streams: "streams"
        case .inspections: "inspections"
        case .bytes: "bytes"
        case .logLines: "log-lines"
        }
    }

    /// The noun after the number in a sentence.
    fileprivate var noun: String {
        switch self {
        case .connections: "connections"
        case .requests: "requests in progress"
        case .processes: "running programs"
        case .outgoingCalls: "outgoing calls in progress"
        case .streams: "streams"
        case .inspections: "inspections"
        case .bytes: "bytes in buffers"
        case .logLines: "log lines in 30 seconds"
        }
    }
}

/// The limits of a resource.
package struct Allowance: Hashable, Sendable {
    /// The accounts to which a limit applies; the raw value is the name in the configuration.
    package enum Share: String, CaseIterable, Sendable {
        /// The daemon's own user, and root.
        case own
        /// Another user.
        case user
        /// Requests from the desktop of a user.
        case desktop
        /// Requests from assistants of a user.
        case agent
        /// All accounts together.
        case all
    }

    private var own, user, desktop, agent, all: Int

    /// Creates the limits.
    package init(own: Int, user: Int, desktop: Int, all: Int) {
        (self.own, self.user, self.desktop, agent, self.all) = (own, user, desktop, desktop, all)
    }

    /// The limit of an account, or of all accounts together.
    package subscript(share: Share) -> Int {
        get {
            switch share {
            case .own: own
            case .user: user
            case .desktop: desktop
            case .agent: agent
            case .all: all
            }
        }
        set {
            switch share {
            case .own: own = newValue
            case .user: user = newValue
            case .desktop: desktop = newValue
            case .agent: agent = newValue
            case .all: all = newValue
            }
        }
    }

    /// Returns limits in the same proportions for another total, rounded up.
    package func scaled(to all: Int) -> Allowance {
        var scaled = self
        for share in Share.allCases {
            scaled[share] = Int((Double(self[share]) * Double(all) / Double(self[.all])).rounded(.up))
        }
        return scaled
    }
}

/// The limit of an account, or of all accounts together, is exceeded.
package struct Excess: Error, Hashable, Sendable, CustomStringConvertible {
    /// The resource.
    package let resource: Resource
    /// The limit that is reached.
    package let share: Allowance.Share
    /// The account that has reached it; nil for all accounts together.
    package let account: AccountName?
    /// The amount in use.
    package let used: Int
    /// The limit.
    package let limit: Int
    /// The additional amount that was requested.
    package let needed: Int

    /// The setting of the limit.
    package var setting: String { "limits: \(resource.setting): \(share.rawValue)" }

    /// The account, the amount, the resource, and the limit.
    package var description: String {
        let more = needed > 1 ? ", and \(needed) more" : ""
        return "\(AccountName.reachedLimit(account)): \(used) of \(limit) \(resource.noun)\(more) (\(setting))."
    }
}
