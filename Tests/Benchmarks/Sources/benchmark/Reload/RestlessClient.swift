import CMeasure
import Foundation
import Synchronization

/// A client that asks the same again and again, each time as soon as it has the answer.
final class RestlessClient: Sendable {
    private let samples = Mutex(LoneSamples())
    private let isOver = Mutex(false)
    private let group = DispatchGroup()

    /// Begins to ask, on a thread of its own; `loop` is the processor time of the daemon's loop, or -1.
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

    /// Lets it finish, and returns what it has seen.
    func end() -> LoneSamples {
        isOver.withLock { $0 = true }
        group.wait()
        return samples.withLock { $0 }
    }
}
