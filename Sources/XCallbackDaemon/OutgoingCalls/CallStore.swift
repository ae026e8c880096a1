import Logging
import XCallbackEventLoop
import XCallbackLinux

/// Reads and writes the records of outgoing calls beside the event loop, one after the other, as it is asked to.
///
/// A disk that does not answer holds up nothing but the calls and answers that are to be kept on it.
package final class CallStore: TaskExecutor {
    private let folder: CallFolder
    private let queue = WorkQueue(label: "xcallbackd.calls")

    /// Creates the store of a folder, which is made when it is needed.
    package init(in path: String) {
        folder = CallFolder(path: path)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Reads all records, and removes what is none.
    func read() -> Task<[CallRecord], Never> {
        Task(executorPreference: self) { [folder] in folder.read() }
    }

    /// Writes a record, in place of the one with its mark.
    ///
    /// - Returns: Why it cannot be written; nil if it is on disk.
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

    /// Removes the record of a mark.
    func remove(_ mark: String) {
        queue.async { [folder] in folder.remove(mark) }
    }

    /// Waits until all of that is done, or for a while: call it before the process ends.
    package func finish(within limit: Duration = .seconds(2)) {
        queue.finish(within: limit)
    }
}
