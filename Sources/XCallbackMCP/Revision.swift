import XCallbackWire

/// A revision of the Model Context Protocol.
///
/// The tools are the same in all of them; what differs is here.
///
/// | revision   | begins with               | several messages in a line |
/// |------------|---------------------------|----------------------------|
/// | 2024-11-05 | a handshake               | no                         |
/// | 2025-03-26 | a handshake               | yes (a batch)              |
/// | 2025-06-18 | a handshake               | no                         |
/// | 2025-11-25 | a handshake               | no                         |
/// | 2026-07-28 | nothing: each request     | no                         |
/// |            | carries its own revision  |                            |
enum Revision: String, CaseIterable {
    case november2024 = "2024-11-05"
    case march2025 = "2025-03-26"
    case june2025 = "2025-06-18"
    case november2025 = "2025-11-25"
    case july2026 = "2026-07-28"

    /// The revision in which each request carries its own revision.
    static let stateless = july2026
    /// The revision offered to a client that requests a handshake of an unsupported revision.
    static let newestWithHandshake = november2025

    /// Whether the revision starts with a handshake (`initialize`), which sets the revision for the whole conversation.
    var hasHandshake: Bool { self != .stateless }
    /// Whether a line may be an array of messages.
    var hasBatches: Bool { self == .march2025 }
}

/// The names of a message's metadata (`_meta`).
enum MetaKey {
    static let revision = "io.modelcontextprotocol/protocolVersion"
    static let clientCapabilities = "io.modelcontextprotocol/clientCapabilities"
    static let clientInfo = "io.modelcontextprotocol/clientInfo"
    static let serverInfo = "io.modelcontextprotocol/serverInfo"
    static let subscription = "io.modelcontextprotocol/subscriptionId"
}
