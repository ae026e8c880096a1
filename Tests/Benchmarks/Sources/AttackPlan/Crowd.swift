/// A number of connections that all load a daemon in the same way, for as long as the daemon allows.
package struct Crowd: Codable, Sendable {
    /// How a connection treats the daemon's output.
    package enum Manner: String, Codable, Sendable {
        /// Reads it, so that the daemon continues.
        case reads
        /// Never reads it.
        case neverReads
        /// Closes the connection without reading once the opening is sent.
        case leaves
    }

    /// The number of concurrent connections; each connection that the daemon closes is reopened.
    package var connections: Int
    /// The bytes that each connection sends once.
    package var opening = ""
    /// The number of letters after the opening.
    package var padding = 0
    /// The bytes that each connection then sends repeatedly, as fast as the daemon reads.
    package var repeated = ""
    package var manner = Manner.reads

    /// Creates a crowd.
    package init(
        connections: Int, opening: String = "", padding: Int = 0, repeated: String = "", manner: Manner = .reads
    ) {
        self.connections = connections
        self.opening = opening
        self.padding = padding
        self.repeated = repeated
        self.manner = manner
    }
}

/// The result of an attack.
package struct AttackSummary: Codable, Sendable {
    /// The number of opened connections.
    package var opened = 0
    /// The number of connections that the daemon closed or did not accept.
    package var refused = 0
    package var bytesSent = 0
    package var bytesReceived = 0

    /// Creates an empty summary.
    package init() {}
}
