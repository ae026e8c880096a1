import Logging
import XCallbackEventLoop
import XCallbackLinux

/// Reads and writes the records of outgoing calls outside the event loop, one at a time, in the order of the calls.
///
/// A disk that does not respond delays only the calls and answers that must be stored on it.
package final class CallStore: TaskExecutor {
    private let folder: CallFolder
    private let queue = WorkQueue(label: "xcallbackd.calls")

    /// Creates the store of a folder, which is created when needed.
    package init(in path: String) {
        folder = CallFolder(path: path)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Reads all records, and removes invalid ones.
    func read() -> Task<[CallRecord], Never> {
        Task(executorPreference: self) { [folder] in folder.read() }
    }

    /// Writes a record, replacing the one with the same mark.
    ///
    /// - Returns: The reason why the record cannot be written; nil if it is on disk.
    func write(_ record: CallRecord) -> Task<SystemError?, Never> {
        Task(executorPreference: self) { [folder] in
            do throws(SystemError) {
                try folder.make()
                try folder.write(record)
                return nil
            } catch {
                return error
            }
        }
    }

    /// Removes the record with a mark.
    func remove(_ mark: String) {
        queue.async { [folder] in folder.remove(mark) }
    }

    /// Waits, up to a limit, until all operations are done: call it before the process ends.
    package func finish(within limit: Duration = .seconds(2)) {
        queue.finish(within: limit)
    }
}
