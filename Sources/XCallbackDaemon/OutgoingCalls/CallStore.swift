import Dispatch
import Logging
import XCallbackEventLoop

/// Reads and writes the records of outgoing calls beside the event loop, one after the other.
///
/// A disk that does not answer holds up nothing but the calls and answers that are to be kept on it.
package final class CallStore: Sendable {
    private let folder: CallFolder
    private let queue = DispatchQueue(label: "xcallbackd.calls", qos: .default)

    /// Creates the store of a folder, which is made when it is needed.
    package init(in path: String) {
        folder = CallFolder(path: path)
    }

    /// Reads all records, and removes what is none.
    func read() async -> [CallRecord] {
        await withCheckedContinuation { continuation in
            queue.async { @Sendable [folder] in continuation.resume(returning: folder.read()) }
        }
    }

    /// Writes a record, in place of the one with its mark.
    ///
    /// - Returns: Why it cannot be written; nil if it is on disk.
    func write(_ record: CallRecord) async -> SystemError? {
        await withCheckedContinuation { continuation in
            queue.async { @Sendable [folder] in
                do throws(SystemError) {
                    try folder.make()
                    try folder.write(record)
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
    }

    /// Removes the record of a mark.
    func remove(_ mark: String) {
        queue.async { @Sendable [folder] in folder.remove(mark) }
    }

    /// Waits until all of that is done, or for a while: call it before the process ends.
    package func finish(within limit: Duration = .seconds(2)) {
        let finished = DispatchSemaphore(value: 0)
        queue.async { @Sendable in _ = finished.signal() }
        _ = finished.wait(timeout: .now() + limit / .seconds(1))
    }
}
