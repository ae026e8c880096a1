/// The status of the daemon, in figures.
package struct ServiceStatus: Hashable, Sendable, CustomStringConvertible {
    /// The path of the socket.
    package let socket: String
    /// The path of the socket for assistants; nil without one.
    package var agentSocket: String?
    /// Whether the daemon is stopping.
    package var isStopping = false
    /// The number of routes in use.
    package var routeCount = 0
    /// The number of connected clients.
    package var connectionCount = 0
    /// The number of requests that wait for their handlers.
    package var waitingCount = 0
    /// The number of answered requests.
    package var answerCount = 0
    /// The number of answers that are errors.
    package var errorCount = 0
    /// The number of faults when the configuration was last loaded; in that case an earlier configuration is in use, or none.
    package var faultCount = 0
    /// Whether no configuration is in use yet.
    package var isOut = false

    /// Creates the status of a daemon that has just started.
    package init(socket: String) {
        self.socket = socket
    }

    /// The status in one line for people.
    package var description: String {
        if isStopping {
            return "Stopping; \(counted(connectionCount, "connection")), \(counted(waitingCount, "request")) waiting"
        }
        if isOut { return "Not serving: the configuration has \(counted(faultCount, "fault")), see the log" }
        let failure = faultCount > 0 ? "; not reloaded: \(counted(faultCount, "fault")), see the log" : ""
        return "Serving \(counted(routeCount, "route")) on \(socket), \(counted(connectionCount, "connection")), "
            + "\(counted(answerCount, "request")), \(counted(errorCount, "error"))\(failure)"
    }
}

/// Returns a number with its noun.
private func counted(_ number: Int, _ noun: String) -> String { number == 1 ? "1 \(noun)" : "\(number) \(noun)s" }
