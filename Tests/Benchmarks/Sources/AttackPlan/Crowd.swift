/// A number of connections that all do the same to a daemon, for as long as it lets them.
package struct Crowd: Codable, Sendable {
    /// What a connection does with what the daemon sends.
    package enum Manner: String, Codable, Sendable {
        /// Reads it, so that the daemon goes on.
        case reads
        /// Leaves it in the socket.
        case neverReads
        /// Closes the connection without reading, as soon as the opening is sent.
        case leaves
    }

    /// How many connections there are at a time; each one that the daemon closes is opened anew.
    package var connections: Int
    /// What each connection sends once.
    package var opening = ""
    /// How many letters follow the opening.
    package var padding = 0
    /// What each connection sends after that, over and over, as fast as the daemon takes it.
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

/// What an attack has come to.
package struct AttackSummary: Codable, Sendable {
    /// Connections that were opened.
    package var opened = 0
    /// Connections that the daemon closed or did not accept.
    package var refused = 0
    package var bytesSent = 0
    package var bytesReceived = 0

    /// Creates a summary of nothing.
    package init() {}
}
