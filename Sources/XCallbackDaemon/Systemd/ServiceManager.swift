import CLinux
import CSystemd
import Glibc
package import XCallbackLinux

/// The service manager that started this process and expects notifications, if any.
///
/// Without a manager every call does nothing, so that a program runs the same in a terminal. Messages follow
/// sd_notify(3), but libsystemd would open a socket for each of them: they go through one that is opened once, so that
/// watchdog notifications do not stop while the system has no descriptors left. Programs that the daemon starts get an
/// environment of their own, so that `$NOTIFY_SOCKET` does not leak to them. A call blocks while the manager's queue is full.
package struct ServiceManager: Sendable {
    /// The interval in which the manager expects ``notifyWatchdog()``; half of it is a good choice.
    package let watchdogInterval: Duration?
    /// The address of the manager's socket, used only in errors; `nil` without a manager.
    private let address: String?
    private let socket: NotificationSocket?

    /// Creates the manager that the environment names; the environment does not change.
    ///
    /// It reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`; a watchdog for another process is ignored.
    package init() {
        var microseconds: UInt64 = 0
        let isWatched = sd_watchdog_enabled(0, &microseconds) > 0
        let interval = Int64(exactly: microseconds).map { Duration.microseconds($0) }
        watchdogInterval = isWatched ? interval : nil
        address = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
        socket = address.flatMap { NotificationSocket(to: $0) }
    }

    /// Whether there is a manager to notify.
    package var isPresent: Bool { address != nil }

    /// Reports that the service is ready, also after a failed reload.
    package func notifyReady(status: String? = nil) throws(SystemError) {
        try send("READY=1" + line(for: status))
    }

    /// Reports that the service reloads its configuration; ``notifyReady(status:)`` must follow.
    package func notifyReloading(status: String? = nil) throws(SystemError) {
        // The manager orders messages by this time, so it must not be older.
        try send("RELOADING=1\nMONOTONIC_USEC=\(monotonicTime() / 1_000)" + line(for: status))
    }

    /// Reports that the service is stopping.
    package func notifyStopping(status: String? = nil) throws(SystemError) {
        try send("STOPPING=1" + line(for: status))
    }

    /// Reports the status of the service, in one line for people.
    ///
    /// - Parameter status: The line; control characters become blanks, and text over 2 KiB is cut.
    /// - Throws: ``SystemError``
    package func notifyStatus(_ status: String) throws(SystemError) {
        try send(String(line(for: status).dropFirst()))
    }

    /// Requests more time to start, reload or stop than the manager allows.
    ///
    /// - Parameter duration: The time from now within which the service is ready or requests more time again.
    /// - Throws: ``SystemError``
    package func extendTimeout(by duration: Duration) throws(SystemError) {
        // The range covers 10,000 years; the manager interprets any number that large as infinite.
        let microseconds = max(.zero, min(duration, .seconds(315_360_000_000))) / .microseconds(1)
        try send("EXTEND_TIMEOUT_USEC=\(Int64(microseconds.rounded(.up)))")
    }

    /// Notifies the watchdog.
    package func notifyWatchdog() throws(SystemError) {
        try send("WATCHDOG=1")
    }

    /// Sends assignments, one per line, as a single message.
    private func send(_ message: String) throws(SystemError) {
        guard let address else { return }
        let call = "cannot reach the service manager at '\(address)'"
        guard let socket else { throw SystemError(call, code: EAFNOSUPPORT) }
        _ = try SystemError.check(call) { socket.send(Array(message.utf8)) }
    }

    /// Returns the line with a status, starting with a line feed; empty without a status.
    private func line(for status: String?) -> String {
        guard let status else { return "" }
        // systemd drops messages over 4 KiB completely, so a status must not use all of that.
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

/// A datagram socket that sends to the service manager.
private final class NotificationSocket: Sendable {
    private let descriptor: Descriptor
    private let address: SocketAddress

    /// Opens a socket; `nil` if the address is neither a path nor an abstract name, or the system is out of descriptors.
    init?(to name: String) {
        guard name.hasPrefix("/") || name.hasPrefix("@"),
            let address = SocketAddress(name, isAbstract: name.hasPrefix("@"))
        else { return nil }
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return nil }
        descriptor = Descriptor(number)
        self.address = address
    }

    /// Sends a message; returns its length, or -1.
    func send(_ message: [UInt8]) -> Int32 {
        address.withPointer { address, length in
            Int32(clamping: sendto(descriptor.number, message, message.count, Int32(MSG_NOSIGNAL), address, length))
        }
    }
}
