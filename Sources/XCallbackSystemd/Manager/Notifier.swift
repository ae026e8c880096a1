package import Logging
import Synchronization
import XCallbackEventLoop

/// Tells the service manager what happens, in order, from a queue of its own: the caller never waits.
///
/// That is for the event loop, as a call of ``ServiceManager`` waits while the manager does not read. What it is told
/// meanwhile is kept, up to a limit.
package final class Notifier: Sendable {
    /// How important it is that the manager is told.
    package enum Weight: Int, Sendable {
        /// It may be left out while others wait: something newer follows.
        case sign = 4
        /// It tells of a step in the life of the service.
        case step = 64
    }

    /// Who is told.
    package let manager: ServiceManager
    private let logger: Logger
    private let queue = WorkQueue(label: "xcallbackd.notify")
    private let waitingCount = Atomic<Int>(0)
    private let isFailing = Atomic<Bool>(false)

    /// Creates a notifier.
    ///
    /// - Parameters:
    ///   - manager: Who is told.
    ///   - logger: Where it is written that the manager cannot be told.
    package init(_ manager: ServiceManager, logger: Logger) {
        self.manager = manager
        self.logger = logger
    }

    /// Keeps a thread, so that the watchdog hears of the service also while the system has none to give.
    package func keepThread() {
        if manager.isPresent { queue.keepThread() }
    }

    /// Tells the manager something, soon.
    ///
    /// - Parameters:
    ///   - weight: How important it is.
    ///   - call: The call; its time is that of the call.
    package func tell(
        _ weight: Weight = .step, _ call: @escaping @Sendable (ServiceManager) throws(ServiceManagerError) -> Void
    ) {
        guard manager.isPresent, waitingCount.load(ordering: .relaxed) < weight.rawValue else { return }
        waitingCount.wrappingAdd(1, ordering: .relaxed)
        queue.async {
            self.perform(call)
            self.waitingCount.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    /// Tells the manager something in this thread, for at most a second: call it before the process ends.
    package func tellLast(_ call: @escaping @Sendable (ServiceManager) throws(ServiceManagerError) -> Void) {
        guard manager.isPresent else { return }
        interruptCalls(after: .seconds(1)) { queue.sync { self.perform(call) } }
    }

    /// Waits until the manager knows everything, or for a while: call it before the process ends.
    package func finish(within limit: Duration = .seconds(1)) {
        guard manager.isPresent else { return }
        queue.finish(within: limit)
    }

    /// A manager that cannot be told is written to the log once, and once more after it could be.
    private func perform(_ call: (ServiceManager) throws(ServiceManagerError) -> Void) {
        do throws(ServiceManagerError) {
            try call(manager)
            isFailing.store(false, ordering: .relaxed)
        } catch {
            guard !isFailing.exchange(true, ordering: .relaxed) else { return }
            logger.warning("cannot notify the service manager", metadata: ["error": "\(error)"])
        }
    }
}
