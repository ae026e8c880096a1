/// The process that sent a request, as the kernel noted it when it connected.
public struct Peer: Hashable, Sendable {
    /// Its user.
    public let userID: UInt32
    /// Its primary group.
    public let groupID: UInt32
    /// Its process; 0 if it lives in a process namespace that cannot be seen from here.
    public let processID: Int32
    /// Names its connection for whoever can tell more of it; nil if it has none.
    package let connection: UInt64?

    /// Creates a peer.
    public init(userID: UInt32, groupID: UInt32, processID: Int32) {
        self.init(userID: userID, groupID: groupID, processID: processID, connection: nil)
    }

    /// Creates a peer with a connection.
    package init(userID: UInt32, groupID: UInt32, processID: Int32, connection: UInt64?) {
        self.userID = userID
        self.groupID = groupID
        self.processID = processID
        self.connection = connection
    }
}

/// The way on which a request came in.
public enum Origin: String, Hashable, Sendable, CaseIterable {
    /// Through the desktop, so possibly from a web page; it reaches public routes only.
    case desktop
    /// From a client of the socket.
    case socket
    /// From a redirect of the configuration, or from within the process.
    case `internal`
    /// From an assistant, a program in whose texts strangers may have a say; it reaches only what is offered to assistants.
    case agent
}

/// Some of the ways on which requests come in.
package struct OriginSet: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Those on which every route can be reached.
    package static let trusted: OriginSet = [Origin.socket.bit, Origin.internal.bit]
    /// Those that reach public routes.
    package static let open: OriginSet = [.trusted, Origin.desktop.bit]
    /// All of them.
    package static let all: OriginSet = [.open, Origin.agent.bit]
}

extension Origin {
    /// The set that has only this one.
    package var bit: OriginSet {
        switch self {
        case .desktop: OriginSet(rawValue: 1)
        case .socket: OriginSet(rawValue: 2)
        case .internal: OriginSet(rawValue: 4)
        case .agent: OriginSet(rawValue: 8)
        }
    }

    /// Whether somebody else than the user may have written the URL.
    package var isForeign: Bool { self == .desktop || self == .agent }
}
