import XCallbackJSON

/// A revision of the Model Context Protocol.
///
/// Those before 2026-07-28 begin with a handshake (`initialize`), which says the revision for all that follows. Since then
/// each request says it for itself.
enum Revision: String, CaseIterable {
    case june2025 = "2025-06-18"
    case november2025 = "2025-11-25"
    case july2026 = "2026-07-28"

    /// The one of which each request speaks for itself.
    static let stateless = july2026
    /// What a client gets that asks for a handshake of a revision that is not spoken here.
    static let newestWithHandshake = november2025

    /// Whether it begins with a handshake.
    var hasHandshake: Bool { self != .stateless }
}

/// Names of what a message says of itself, beside what it is about (`_meta`).
enum MetaKey {
    static let revision = "io.modelcontextprotocol/protocolVersion"
    static let clientCapabilities = "io.modelcontextprotocol/clientCapabilities"
    static let clientInfo = "io.modelcontextprotocol/clientInfo"
    static let serverInfo = "io.modelcontextprotocol/serverInfo"
    static let subscription = "io.modelcontextprotocol/subscriptionId"
}
