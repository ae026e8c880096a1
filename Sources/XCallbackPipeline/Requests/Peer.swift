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

/// Reads facts about the process at the other end of a connection, beyond those of every request.
///
/// They are read on demand, because most requests meet no policy that needs them.
package struct PeerReader: Sendable {
    /// Calls a function with the process ID of a peer, off the loop that serves the peer; the function may block on a
    /// disk.
    ///
    /// The last function is called once with the result; with nil after a timeout, or if the process had ended by then,
    /// because its ID may have been reused.
    package typealias Inspection =
        @Sendable (
            _ peer: Peer, _ body: @escaping @Sendable (Int32) -> PolicyResult,
            _ done: @escaping @Sendable (PolicyResult?) -> Void
        ) -> Void

    /// The supplementary groups of a peer when it connected; nil if unknown.
    package let groups: @Sendable (Peer) -> [UInt32]?
    /// Inspects a process.
    private let inspection: Inspection

    /// Creates a reader.
    package init(groups: @escaping @Sendable (Peer) -> [UInt32]?, inspection: @escaping Inspection) {
        self.groups = groups
        self.inspection = inspection
    }

    /// Returns what a function finds out about the process of a peer; nil if the process cannot be inspected.
    package func inspect(_ peer: Peer, _ body: @escaping @Sendable (Int32) -> PolicyResult) async -> PolicyResult? {
        await withCheckedContinuation { continuation in
            inspection(peer, body) { continuation.resume(returning: $0) }
        }
    }
}
