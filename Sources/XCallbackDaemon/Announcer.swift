import Logging
import XCallbackSystemd

/// Tells the service manager and the log of the daemon's life.
struct Announcer: Sendable {
    let manager: ServiceManager
    let logger: Logger

    /// Tells that requests are answered from now on.
    func ready(socket: String, routeCount: Int) {
        let routes = routeCount == 1 ? "1 route" : "\(routeCount) routes"
        logger.info("ready", metadata: ["socket": "\(socket)", "routes": "\(routeCount)"])
        notify { manager throws(ServiceManagerError) in
            try manager.notifyReady(status: "Serving \(routes) on \(socket)")
        }
    }

    /// Tells that the daemon finishes what it has begun.
    func stopping(waitingCount: Int, answerCount: Int, errorCount: Int) {
        notify { manager throws(ServiceManagerError) in
            try manager.notifyStopping(status: "Stopping; requests that wait: \(waitingCount)")
        }
        logger.info(
            "stopping",
            metadata: [
                "requests.waiting": "\(waitingCount)", "requests.answered": "\(answerCount)",
                "requests.failed": "\(errorCount)",
            ])
    }

    private func notify(_ call: (ServiceManager) throws(ServiceManagerError) -> Void) {
        do {
            try call(manager)
        } catch {
            logger.warning("cannot tell the service manager", metadata: ["error": "\(error)"])
        }
    }
}
