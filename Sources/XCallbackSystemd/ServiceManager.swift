import CSystemd
import Glibc

/// The service manager that started this process and wants to know how it goes, if there is one.
///
/// Without a manager every call does nothing, so that a program runs the same in a terminal. Messages follow
/// sd_notify(3). They are sent here and not by `sd_notify`, which reads the address from the environment at each call:
/// an address that is read once can be taken out of the environment, and never reaches a child or a second daemon.
package struct ServiceManager: Sendable {
    /// How often the manager expects ``notifyWatchdog()``, at the latest; half of it is a good interval.
    package let watchdogInterval: Duration?
    private let socket: NotifySocket?

    /// Creates the manager that the environment names, and takes its variables out of the environment.
    ///
    /// These are `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`; a second call finds none. The environment is
    /// shared by the process: call it once, before there are other threads.
    package init() {
        var microseconds: UInt64 = 0
        let isWatched = sd_watchdog_enabled(1, &microseconds) > 0
        let address = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
        unsetenv("NOTIFY_SOCKET")
        let interval = Int64(exactly: microseconds).map { Duration.microseconds($0) }
        self.init(address: address, watchdogInterval: isWatched ? interval : nil)
    }

    /// Creates a manager that listens at an address.
    ///
    /// - Parameters:
    ///   - address: A path, or `@` and an abstract name; `nil` or empty for no manager.
    ///   - watchdogInterval: How often the manager expects a sign of life, or `nil` if it does not.
    package init(address: String?, watchdogInterval: Duration? = nil) {
        socket = address.flatMap { $0.isEmpty ? nil : NotifySocket(address: $0) }
        self.watchdogInterval = watchdogInterval
    }

    /// Whether there is a manager to tell.
    package var isPresent: Bool { socket != nil }

    /// Tells that the service does its work now, also after a reload that failed.
    ///
    /// - Parameter status: One line for people.
    /// - Throws: ``ServiceManagerError``
    package func notifyReady(status: String? = nil) throws(ServiceManagerError) {
        try socket?.send("READY=1" + line(for: status), patience: .seconds(2))
    }

    /// Tells that the service reads its configuration anew; ``notifyReady(status:)`` must follow.
    ///
    /// - Parameter status: One line for people.
    /// - Throws: ``ServiceManagerError``
    package func notifyReloading(status: String? = nil) throws(ServiceManagerError) {
        var now = timespec()
        // Cannot fail: the clock always exists. The manager orders the message by it, so it must not be older.
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = now.tv_sec * 1_000_000 + now.tv_nsec / 1_000
        let message = "RELOADING=1\nMONOTONIC_USEC=\(microseconds)" + line(for: status)
        try socket?.send(message, patience: .seconds(2))
    }

    /// Tells that the service begins to end.
    ///
    /// - Parameter status: One line for people.
    /// - Throws: ``ServiceManagerError``
    package func notifyStopping(status: String? = nil) throws(ServiceManagerError) {
        try socket?.send("STOPPING=1" + line(for: status), patience: .seconds(2))
    }

    /// Tells how the service is, in one line for people; never waits.
    ///
    /// - Parameter status: The line; control characters become blanks, and what is beyond 2 KiB is cut.
    /// - Throws: ``ServiceManagerError``, with `EAGAIN` if the manager is behind.
    package func notifyStatus(_ status: String) throws(ServiceManagerError) {
        try socket?.send(String(line(for: status).dropFirst()), patience: .zero)
    }

    /// Asks for more time to start, reload or stop than the manager would give.
    ///
    /// - Parameter duration: The time from now on, in which the service is ready or asks again.
    /// - Throws: ``ServiceManagerError``
    package func extendTimeout(by duration: Duration) throws(ServiceManagerError) {
        // The range holds 10,000 years; the manager takes any number that large for “for ever”.
        let microseconds = max(.zero, min(duration, .seconds(315_360_000_000))) / .microseconds(1)
        try socket?.send("EXTEND_TIMEOUT_USEC=\(Int64(microseconds.rounded(.up)))", patience: .seconds(2))
    }

    /// Gives the manager a sign of life; never waits.
    ///
    /// - Throws: ``ServiceManagerError``, with `EAGAIN` if the manager is behind.
    package func notifyWatchdog() throws(ServiceManagerError) {
        try socket?.send("WATCHDOG=1", patience: .zero)
    }

    /// The line that carries a status, with a line feed before it; empty without a status.
    private func line(for status: String?) -> String {
        guard let status else { return "" }
        // systemd drops messages over 4 KiB as a whole, so that a status may not use up all of it.
        var text = "\nSTATUS="
        var room = 2_048
        for scalar in status.unicodeScalars {
            room -= UTF8.width(scalar)
            guard room >= 0 else { break }
            text.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return text
    }
}
