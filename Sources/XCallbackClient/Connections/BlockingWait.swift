import Glibc

/// How a client waits that has a thread for itself: in system calls, so that it needs no other thread.
///
/// Its tasks must run only on that thread, which is blocked while they wait for the daemon.
package struct BlockingWait: Sendable {
    private let deadline: ContinuousClock.Instant?
    private let patience: Duration?
    private let tellLate: @Sendable () -> Void

    /// Creates a wait with a deadline.
    ///
    /// - Parameter deadline: When the wait ends at the latest.
    package init(until deadline: ContinuousClock.Instant) {
        self.deadline = deadline
        patience = nil
        tellLate = {}
    }

    /// Creates a wait without a deadline.
    ///
    /// - Parameters:
    ///   - patience: The time after which a reply is late.
    ///   - tellLate: Called once for each late reply.
    package init(tellingAfter patience: Duration, _ tellLate: @escaping @Sendable () -> Void) {
        deadline = nil
        self.patience = patience
        self.tellLate = tellLate
    }

    /// Waits until a descriptor is ready.
    ///
    /// - Parameters:
    ///   - number: The descriptor.
    ///   - events: The events to wait for.
    /// - Throws: `CancellationError` at the deadline.
    func wait(for number: Int32, _ events: Int32) throws(CancellationError) {
        var limit = patience
        while true {
            let rest = deadline.map { max(ContinuousClock.now.duration(to: $0), .zero) }
            let time = [limit, rest].compactMap(\.self).min()
            var member = pollfd(fd: number, events: Int16(events), revents: 0)
            let count = poll(&member, 1, time.map { Int32($0 / .milliseconds(1)) } ?? -1)
            if count > 0 { return }
            guard count == 0 else { continue }
            if time == rest { throw CancellationError() }
            tellLate()
            limit = nil
        }
    }

    /// Pauses before another attempt.
    ///
    /// - Throws: `CancellationError` at the deadline.
    func pause(for time: Duration) throws(CancellationError) {
        if let deadline, ContinuousClock.now + time >= deadline { throw CancellationError() }
        usleep(UInt32(time / .microseconds(1)))
    }
}
