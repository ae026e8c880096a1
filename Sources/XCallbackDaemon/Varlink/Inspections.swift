package import XCallbackEventLoop
import XCallbackLinux
package import XCallbackWire

/// Runs the calls of `Explain` and `Routes`, which are slow with many routes; lives on the event loop.
///
/// Inspections run outside the loop: one per owner, and two in total. The others queue, and owners take turns. A queued
/// inspection holds nothing but the parameters of its call; if its client disconnects, it is not run. An inspection for which
/// there is no thread is rejected.
package final class Inspections {
    /// The work of an inspection, which makes a JSON object.
    package typealias Work = @Sendable () -> [UInt8]

    private let queue = OwnerQueue(limit: 2, ofEachOwner: 1)
    /// The numbers of the inspections that wait or run, and are not cancelled.
    private var numbers: [ConnectionID: Int] = [:]
    private var lastNumber = 0

    /// Creates an empty queue.
    package init() {}

    /// Queues an inspection.
    ///
    /// - Parameters:
    ///   - connection: The connection that made the call; a connection has one call at a time.
    ///   - owner: The owner of the caller's account.
    ///   - loop: The loop.
    ///   - prepare: Collects the data for the inspection; called on the loop when the turn comes, so that the data is held
    ///     only while it runs.
    ///   - reply: Receives the result on the loop, unless the inspection is cancelled before.
    package func add(
        for connection: ConnectionID, of owner: Owner, on loop: isolated EventLoop,
        _ prepare: @escaping () -> Work,
        reply: @escaping (Result<[UInt8], VarlinkError>) -> Void
    ) {
        lastNumber += 1
        let number = lastNumber
        numbers[connection] = number
        queue.add(for: connection, of: owner, on: loop) { [self] in
            // It can be cancelled between its turn and this moment.
            guard numbers[connection] == number else { return }
            let work = prepare()
            let result: Result<[UInt8], VarlinkError>
            do throws(SystemError) {
                result = .success(try await WorkQueue().run(work))
            } catch {
                result = .failure(.noThread)
            }
            guard numbers[connection] == number else { return }
            numbers[connection] = nil
            reply(result)
        }
    }

    /// Cancels the inspection of a connection, if any, without a reply; one that runs frees its slot when it ends.
    package func cancel(_ connection: ConnectionID) {
        queue.remove(connection)
        numbers[connection] = nil
    }
}
