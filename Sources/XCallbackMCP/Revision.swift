import XCallbackJSON

/// A revision of the Model Context Protocol.
///
/// Revisions before 2026-07-28 start with a handshake (`initialize`), which sets the revision for the whole
/// conversation. Since then each request carries its own revision.
enum Revision: String, CaseIterable {
    case june2025 = "2025-06-18"
    case november2025 = "2025-11-25"
    case july2026 = "2026-07-28"

    /// The revision in which each request carries its own revision.
    static let stateless = july2026
    /// The revision offered to a client that requests a handshake of an unsupported revision.
    static let newestWithHandshake = november2025

    /// Whether the revision starts with a handshake.
    var hasHandshake: Bool { self != .stateless }
}

/// The names of a message's metadata (`_meta`).
enum MetaKey {
    static let revision = "io.modelcontextprotocol/protocolVersion"
    static let clientCapabilities = "io.modelcontextprotocol/clientCapabilities"
    static let clientInfo = "io.modelcontextprotocol/clientInfo"
    static let serverInfo = "io.modelcontextprotocol/serverInfo"
    static let subscription = "io.modelcontextprotocol/subscriptionId"
}
