import Dispatch
import XCallbackTesting

/// A client whose calls block a thread of their own, so that the stages of the test can go on meanwhile.
actor TestClient {
    /// Runs the client on a queue, as the threads that tasks share are as few as the processors.
    private final class Executor: SerialExecutor {
        private let queue = DispatchQueue(label: "client")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { @Sendable in job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private nonisolated let executor = Executor()
    private let client: LineClient

    /// Connects to a socket.
    init(_ path: String) throws {
        client = try LineClient(path)
    }

    func send(_ text: String) throws { try client.send(text) }
    func endSending() { client.endSending() }
    func readLine() throws -> String? { try client.readLine() }
    func readToEnd() throws -> [String] { try client.readToEnd() }
    func ask(_ line: String) throws -> String? { try client.ask(line) }
}
