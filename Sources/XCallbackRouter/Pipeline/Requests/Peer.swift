/// The process that sent a request, as recorded by the kernel when the process connected.
public struct Peer: Hashable, Sendable {
    /// The user ID.
    public let userID: UInt32
    /// The primary group ID.
    public let groupID: UInt32
    /// The process ID; 0 if the process is in a process namespace that is invisible from here.
    public let processID: Int32
    /// The connection, to look up more about the process; nil if there is none.
    package var connection: UInt64?

    /// Creates a peer.
    public init(userID: UInt32, groupID: UInt32, processID: Int32) {
        self.userID = userID
        self.groupID = groupID
        self.processID = processID
    }
}

/// The origin of a request.
public enum Origin: String, Hashable, Sendable, CaseIterable {
    /// Through the desktop, so possibly from a web page; reaches only public routes.
    case desktop
    /// From a client of the socket.
    case socket
    /// From within the process, or from a redirect whose target the configuration decides.
    case `internal`
    /// From an assistant, whose text strangers can influence; reaches only routes that are offered to assistants.
    case agent
}

/// A set of origins.
package struct OriginSet: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The origins that reach every route.
    package static let trusted: OriginSet = [Origin.socket.bit, Origin.internal.bit]
    /// The origins that reach public routes.
    package static let open: OriginSet = [.trusted, Origin.desktop.bit]
    /// All origins.
    package static let all: OriginSet = [.open, Origin.agent.bit]
}

extension Origin {
    /// The set of one origin.
    package var bit: OriginSet {
        switch self {
        case .desktop: OriginSet(rawValue: 1)
        case .socket: OriginSet(rawValue: 2)
        case .internal: OriginSet(rawValue: 4)
        case .agent: OriginSet(rawValue: 8)
        }
    }

    /// Whether someone other than the user may have written the URL.
    package var isForeign: Bool { self == .desktop || self == .agent }
}
