/// Something of the daemon of which an account holds so and so much.
package enum Resource: Int, CaseIterable, Sendable {
    /// Connections that are open.
    case connections
    /// Requests that wait for their handlers, or that a receiver works on though nobody waits.
    case requests
    /// Programs that run, also detached ones, as far as the daemon knows of them.
    case processes
    /// Calls of other applications that wait for their answers.
    case outgoingCalls
    /// Calls that are told something again and again.
    case streams
    /// Inspections that run, or wait for their turn.
    case inspections
    /// Bytes of unfinished input, of output that its client has not taken, and of events.
    case bytes
    /// Lines of the log within 30 seconds.
    case logLines

    /// The name of its setting.
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

    /// What follows the number in a sentence.
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

/// How much of a resource accounts may hold.
package struct Allowance: Hashable, Sendable {
    /// Whose limit one of them is; the raw value is its name in the configuration.
    package enum Share: String, CaseIterable, Sendable {
        /// That of the daemon's own user, and of root.
        case own
        /// That of another user.
        case user
        /// That of what the desktop hands over for a user.
        case desktop
        /// That of what assistants ask for a user.
        case agent
        /// That of all accounts together.
        case all
    }

    private var own, user, desktop, agent, all: Int

    /// Creates an allowance.
    package init(own: Int, user: Int, desktop: Int, all: Int) {
        (self.own, self.user, self.desktop, agent, self.all) = (own, user, desktop, desktop, all)
    }

    /// The limit of one account, or of all.
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

    /// The same shares of another number for all, rounded up.
    package func scaled(to all: Int) -> Allowance {
        var scaled = self
        for share in Share.allCases {
            scaled[share] = Int((Double(self[share]) * Double(all) / Double(self[.all])).rounded(.up))
        }
        return scaled
    }
}

/// More than an account may hold, or than all may together.
package struct Excess: Error, Hashable, Sendable, CustomStringConvertible {
    /// What there is too much of.
    package let resource: Resource
    /// Whose limit is reached.
    package let share: Allowance.Share
    /// Who has reached it; nil if all have together.
    package let account: AccountName?
    /// How much is held.
    package let used: Int
    /// How much may be.
    package let limit: Int
    /// How much more was asked for.
    package let needed: Int

    /// The setting that holds the limit.
    package var setting: String { "limits: \(resource.setting): \(share.rawValue)" }

    /// Who has how much of what, and what the limit is.
    package var description: String {
        let more = needed > 1 ? ", and \(needed) more" : ""
        return "\(AccountName.reachedLimit(account)): \(used) of \(limit) \(resource.noun)\(more) (\(setting))."
    }
}
