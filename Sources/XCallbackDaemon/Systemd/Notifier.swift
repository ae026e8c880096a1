package import Logging
import Synchronization
import XCallbackEventLoop
package import XCallbackLinux

/// Sends notifications to the service manager in order, from a queue of its own: the caller never blocks.
///
/// The event loop needs this because a call of ``ServiceManager`` blocks while the manager does not read. Notifications in
/// the meantime are queued, up to a limit.
package final class Notifier: Sendable {
    /// The importance of a notification.
    package enum Weight: Int, Sendable {
        /// Dropped while others wait; a newer one follows.
        case sign = 4
        /// A step in the lifecycle of the service.
        case step = 64
    }

    /// The manager that is notified.
    package let manager: ServiceManager
    private let logger: Logger
    private let queue = WorkQueue(idleTime: nil)
    private let isFailing = Atomic<Bool>(false)

    /// Creates a notifier.
    ///
    /// - Parameters:
    ///   - manager: The manager to notify.
    ///   - logger: Logs that the manager cannot be notified.
    package init(_ manager: ServiceManager, logger: Logger) {
        self.manager = manager
        self.logger = logger
    }

    /// Starts the thread, which is kept, so that watchdog notifications continue when the system has no threads left.
    ///
    /// - Throws: ``SystemError`` if the system has no thread.
    package func start() throws(SystemError) {
        if manager.isPresent { try queue.start() }
    }

    /// Notifies the manager soon.
    ///
    /// - Parameters:
    ///   - weight: The importance of the notification.
    ///   - call: The call to make; the time of this function's call counts as its time.
    package func notify(
        _ weight: Weight = .step, _ call: @escaping @Sendable (ServiceManager) throws(SystemError) -> Void
    ) {
        guard manager.isPresent, queue.pendingCount < weight.rawValue else { return }
        do throws(SystemError) {
            try queue.async { self.perform(call) }
        } catch {
            note(error)
        }
    }

    /// Notifies the manager for at most a second, or from this thread if there is no other: call it before the process ends.
    package func notifyFinally(_ call: @escaping @Sendable (ServiceManager) throws(SystemError) -> Void) {
        guard manager.isPresent else { return }
        do throws(SystemError) {
            try queue.start()
        } catch {
            return perform(call)
        }
        notify(.step, call)
        finish()
    }

    /// Waits, up to a limit, until all notifications are sent: call it before the process ends.
    package func finish(within limit: Duration = .seconds(1)) {
        guard manager.isPresent else { return }
        queue.finish(within: limit)
    }

    /// Logs a failure once, and again only after a notification has succeeded.
    private func perform(_ call: (ServiceManager) throws(SystemError) -> Void) {
        do throws(SystemError) {
            try call(manager)
            isFailing.store(false, ordering: .relaxed)
        } catch {
            note(error)
        }
    }

    private func note(_ error: any Error) {
        guard !isFailing.exchange(true, ordering: .relaxed) else { return }
        logger.warning("cannot notify the service manager", metadata: ["error": "\(error)"])
    }
}
