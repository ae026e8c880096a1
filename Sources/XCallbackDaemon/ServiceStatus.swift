/// How the daemon does, in figures.
struct ServiceStatus: Hashable, Sendable, CustomStringConvertible {
    /// Where clients connect.
    let socket: String
    /// Whether it finishes what it has begun.
    var isStopping = false
    var routeCount = 0
    var connectionCount = 0
    /// How many requests wait for their handlers.
    var waitingCount = 0
    var answerCount = 0
    /// How many answers were errors.
    var errorCount = 0
    /// How many faults the configuration had when it was loaded last; then another one is served.
    var faultCount = 0

    /// One line for people.
    var description: String {
        if isStopping {
            return "Stopping; \(counted(connectionCount, "connection")), \(counted(waitingCount, "request")) waiting"
        }
        let work = [
            counted(routeCount, "route") + " on \(socket)", counted(connectionCount, "connection"),
            counted(answerCount, "request"), counted(errorCount, "error"),
        ]
        let failure = faultCount > 0 ? "; not reloaded: \(counted(faultCount, "fault")), see the log" : ""
        return "Serving \(work.joined(separator: ", "))\(failure)"
    }
}

/// A number with what it counts.
private func counted(_ number: Int, _ noun: String) -> String { number == 1 ? "1 \(noun)" : "\(number) \(noun)s" }
