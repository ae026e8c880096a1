import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Reports requests and answers to watchers; without watchers it costs a request nothing.
final class RequestMonitor {
    /// A client that watches.
    private struct Watcher {
        let stream: ReplyStream
        /// Whether the watcher sees requests of all users.
        let seesAll: Bool
        /// Whether the watcher sees values, for requests of the same user.
        let showsValues: Bool
        /// Selects the requests that the watcher sees.
        let filter: EventFilter
    }

    private var watchers: [ConnectionID: Watcher] = [:] {
        didSet { isActive = !watchers.isEmpty }
    }
    /// Whether any client watches.
    private(set) var isActive = false
    private var numberOfLast = 0

    /// The number of watchers.
    var count: Int { watchers.count }

    /// Adds a watcher.
    func add(_ stream: ReplyStream, seesAll: Bool, showsValues: Bool, only filter: EventFilter) {
        watchers[stream.connection] = Watcher(
            stream: stream, seesAll: seesAll, showsValues: showsValues, filter: filter)
    }

    /// Removes the watcher of a connection, if any.
    func remove(_ connection: ConnectionID) {
        watchers[connection] = nil
    }

    /// Returns the number for the events of another request.
    func nextNumber() -> Int {
        numberOfLast += 1
        return numberOfLast
    }

    /// Reports that a request waits for its handler.
    ///
    /// - Returns: The number with which its answer must be reported.
    func noteWaiting(_ held: SuspendedExecution) -> Int {
        let number = nextNumber()
        if isActive { report(RequestEvent(held.execution, number: number)) }
        return number
    }

    /// Reports an answer.
    ///
    /// - Parameters:
    ///   - execution: The completed execution.
    ///   - answer: The answer, a URL.
    ///   - number: The number of the request.
    ///   - time: How long the request took.
    func note(_ execution: borrowing Execution, answer: Span<UInt8>, number: Int, after time: Duration) {
        report(RequestEvent(execution, number: number, answer: String(utf8: answer), after: time))
    }

    private func report(_ event: RequestEvent) {
        // Made once for all watchers that see the same.
        for showsValues in [false, true] {
            // All of this happens on the loop.
            nonisolated(unsafe) let streams = watchers.values.filter { watcher in
                let isOwn = watcher.stream.peer.userID == event.peer.userID
                return (watcher.seesAll || isOwn) && (watcher.showsValues && isOwn) == showsValues
                    && watcher.filter.admits(event)
            }.map(\.stream)
            guard let loop = streams.first?.loop else { continue }
            let text = event.json(showsValues: showsValues).bytes
            loop.assumeIsolated { loop in
                do throws(Excess) {
                    try FanOut.hand(text, to: streams, for: loop.account(of: event.peer.userID, .socket), on: loop)
                } catch {
                    for stream in streams { stream.miss() }
                }
            }
        }
    }
}

/// Selects the requests and answers that a watcher receives: those that match every given field.
struct EventFilter {
    /// The scheme and the pattern of the route.
    let route: String?
    /// The user who sent the request.
    let userID: Int?
    /// The process that sent the request.
    let processID: Int?
    /// The outcome of the request; a request in progress has none.
    let outcome: Response.Kind?

    /// Whether an event matches the filter.
    func admits(_ event: RequestEvent) -> Bool {
        (route == nil || route == event.route) && (userID == nil || userID == Int(event.peer.userID))
            && (processID == nil || processID == Int(event.peer.processID))
            && (outcome == nil || outcome == event.outcome)
    }
}
