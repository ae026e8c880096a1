/// How the daemon does, in figures.
package struct ServiceStatus: Hashable, Sendable, CustomStringConvertible {
    /// Where clients connect.
    package let socket: String
    /// Where assistants connect that are let nowhere else; nil if there is no such socket.
    package var agentSocket: String?
    /// Why clients cannot connect, and what helps; nil if they can.
    package var loss: String?
    /// Whether it finishes what it has begun.
    package var isStopping = false
    /// How many routes are served.
    package var routeCount = 0
    /// How many clients are connected.
    package var connectionCount = 0
    /// How many requests wait for their handlers.
    package var waitingCount = 0
    /// How many requests were answered.
    package var answerCount = 0
    /// How many answers were errors.
    package var errorCount = 0
    /// How many faults the configuration had when it was loaded last; then another one is served, or none.
    package var faultCount = 0
    /// Whether no configuration is served yet.
    package var isOut = false

    /// Creates the status of a daemon that has done nothing yet.
    package init(socket: String) {
        self.socket = socket
    }

    /// One line for people.
    package var description: String {
        if isOut {
            let faults = "the configuration has \(counted(faultCount, "fault")), see the log"
            return isStopping ? "Not started: \(faults)" : "Not serving: \(faults)"
        }
        if isStopping {
            return "Stopping; \(counted(connectionCount, "connection")), \(counted(waitingCount, "request")) waiting"
        }
        let failure = faultCount > 0 ? "; not reloaded: \(counted(faultCount, "fault")), see the log" : ""
        let service = loss ?? "Serving \(counted(routeCount, "route")) on \(socket)"
        return "\(service), \(counted(connectionCount, "connection")), "
            + "\(counted(answerCount, "request")), \(counted(errorCount, "error"))\(failure)"
    }
}

/// A number with what it counts.
private func counted(_ number: Int, _ noun: String) -> String { number == 1 ? "1 \(noun)" : "\(number) \(noun)s" }
