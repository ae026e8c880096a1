import XCallbackBuiltIns
import XCallbackBytes
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL

/// Tells those who watch of requests and answers; with nobody watching it costs a request nothing.
final class RequestWatch {
    /// One who watches.
    private struct Watcher {
        let stream: ReplyStream
        /// Whether requests of all users are shown.
        let seesAll: Bool
        /// Whether values are shown, for the requests of the same user.
        let showsValues: Bool
        /// Which of them are shown.
        let filter: EventFilter
    }

    private var watchers: [ConnectionID: Watcher] = [:]
    private var numberOfLast = 0

    /// Whether somebody watches.
    var isActive: Bool { !watchers.isEmpty }

    /// How many watch.
    var count: Int { watchers.count }

    /// Lets a client watch.
    func add(_ stream: ReplyStream, seesAll: Bool, showsValues: Bool, only filter: EventFilter) {
        watchers[stream.connection] = Watcher(
            stream: stream, seesAll: seesAll, showsValues: showsValues, filter: filter)
    }

    /// Ends what a client watches, if it does.
    func remove(_ connection: ConnectionID) {
        watchers[connection] = nil
    }

    /// Tells that a request waits for its handler.
    ///
    /// - Returns: The number that its answer has to be told with.
    func noteWaiting(_ held: HeldWalk) -> Int {
        numberOfLast += 1
        if isActive { tell(RequestEvent(waiting: held.walk, number: numberOfLast), of: held.walk.request.peer) }
        return numberOfLast
    }

    /// Tells of an answer.
    ///
    /// - Parameters:
    ///   - walk: The walk that has come to an end.
    ///   - answer: The answer, a URL.
    ///   - number: The number of the request.
    ///   - time: How long the request took.
    func note(_ walk: borrowing Walk, answer: Span<UInt8>, number: Int, after time: Duration) {
        let event = RequestEvent(answered: walk, String(utf8: answer), number: number, after: time)
        tell(event, of: walk.request.peer)
    }

    /// Tells of an answer for which nobody had to wait.
    ///
    /// - Parameters:
    ///   - walk: The walk that has come to an end.
    ///   - answer: The answer, a URL.
    ///   - start: When the request was taken up, in nanoseconds.
    func note(_ walk: borrowing Walk, answer: Span<UInt8>, since start: Int64) {
        numberOfLast += 1
        note(walk, answer: answer, number: numberOfLast, after: .nanoseconds(monotonicTime() - start))
    }

    private func tell(_ event: RequestEvent, of peer: Peer) {
        // Made once for all who see the same.
        for showsValues in [false, true] {
            // All of this happens on the loop.
            nonisolated(unsafe) let streams = watchers.values.filter { watcher in
                let isOwn = watcher.stream.peer.userID == peer.userID
                return (watcher.seesAll || isOwn) && (watcher.showsValues && isOwn) == showsValues
                    && watcher.filter.admits(event)
            }.map(\.stream)
            guard let loop = streams.first?.loop else { continue }
            let text = event.json(showsValues: showsValues).bytes
            loop.assumeIsolated { loop in
                do throws(Excess) {
                    try FanOut.hand(text, to: streams, for: loop.account(of: peer.userID, .socket), on: loop)
                } catch {
                    for stream in streams { stream.miss() }
                }
            }
        }
    }
}
