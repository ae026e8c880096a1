import CMeasure
import Foundation
import Synchronization

/// A client that repeats a request as soon as it gets the answer.
final class RestlessClient: Sendable {
    private let samples = Mutex(LoneSamples())
    private let isOver = Mutex(false)
    private let group = DispatchGroup()

    /// Starts sending on a separate thread; `loop` is the processor time counter of the daemon's loop, or -1.
    init(of socket: String, _ question: LoneQuestion, loop: Int32) {
        group.enter()
        Thread.detachNewThread {
            let client = LoneClient(of: socket)
            var samples = LoneSamples()
            while !self.isOver.withLock({ $0 }) {
                let (worked, sent) = (measure_thread_time(loop), measure_now())
                let isAnswered = client.ask(question)
                let latency = measure_now() - sent
                let processor = measure_thread_time(loop) - worked
                samples.add(latency: Double(latency) / 1e6, processor: Double(processor) / 1e6, isAnswered: isAnswered)
            }
            self.samples.withLock { $0 = samples }
            self.group.leave()
        }
    }

    /// Lets the client finish, and returns its results.
    func end() -> LoneSamples {
        isOver.withLock { $0 = true }
        group.wait()
        return samples.withLock { $0 }
    }
}
