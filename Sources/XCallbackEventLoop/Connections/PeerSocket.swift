import CLinux
import Glibc
package import XCallbackLinux

/// A connection as the source of facts about the process at its other end; only good until the loop goes on.
package struct PeerSocket: Sendable {
    let descriptor: Int32
    /// When the connection was accepted, on the clock on which processes start, in nanoseconds.
    let acceptedTime: Int64

    /// The supplementary groups that the process had when it connected.
    ///
    /// - Throws: ``SystemError`` if the kernel does not tell.
    package func groups() throws(SystemError) -> [UInt32] {
        var groups = [UInt32](repeating: 0, count: 64)
        while true {
            let count = Int(
                try SystemError.check("getsockopt SO_PEERGROUPS") {
                    xcb_peer_groups(descriptor, &groups, Int32(groups.count))
                })
            if count <= groups.count { return Array(groups[..<count]) }
            groups = [UInt32](repeating: 0, count: count)
        }
    }

    /// The process itself; nil if it is gone, or cannot be seen from here.
    package func process() -> PeerProcess? {
        var peer = xcb_peer()
        guard xcb_peer_read(descriptor, &peer) == 0, peer.pid > 0 else { return nil }
        let handle = xcb_peer_handle(descriptor)
        let code = errno
        if handle >= 0 { return PeerProcess(Descriptor(handle), peer.pid) }
        // Before Linux 6.5 the kernel has no handle to give.
        return code == ENOPROTOOPT ? PeerProcess(numbered: peer.pid, startedBefore: acceptedTime) : nil
    }
}

/// A process that cannot be mistaken for another one that gets its number.
package final class PeerProcess: Sendable {
    /// Its number.
    package let id: Int32
    private let handle: Descriptor

    init(_ handle: consuming Descriptor, _ id: Int32) {
        self.handle = handle
        self.id = id
    }

    /// Finds the process that has a number, if that has run since before a time.
    ///
    /// What has got the number of a process that has connected has started after the connection was made. It is not
    /// noticed if it did so before the connection was accepted, or within the same tick.
    ///
    /// - Parameters:
    ///   - id: The number.
    ///   - time: A time on the clock on which processes start, in nanoseconds.
    package convenience init?(numbered id: Int32, startedBefore time: Int64) {
        let number = pidfd_open(id, 0)
        guard number >= 0 else { return nil }
        let handle = Descriptor(number)
        // The start is that of the process only if it has not ended before it was read.
        guard let start = startTime(of: id), start <= time, handle.isOfRunningProcess else { return nil }
        self.init(handle, id)
    }

    /// Whether it still runs, so that what was read under its number until now was its own.
    package var isRunning: Bool { handle.isOfRunningProcess }
}

extension Descriptor {
    /// Whether the process runs whose pidfd this is.
    fileprivate var isOfRunningProcess: Bool {
        var member = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&member, 1, 0) == 0
    }
}

extension EventLoop {
    /// The connection with a name, if it still is there.
    package func peerSocket(of connection: UInt64) -> PeerSocket? {
        connections[ConnectionID(rawValue: connection)].map {
            PeerSocket(descriptor: $0.number, acceptedTime: $0.acceptedTime)
        }
    }
}

/// The time on the clock on which processes start, in nanoseconds.
package func bootTime() -> Int64 {
    var now = timespec()
    _ = xcb_time(CLOCK_BOOTTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

/// When a process has started, in nanoseconds, rounded down to ticks.
private func startTime(of process: Int32) -> Int64? {
    let descriptor = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    // The name of the program stands in parentheses, and may hold both blanks and parentheses.
    guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = bytes[(end + 1)..<count].split(separator: UInt8(ascii: " "))
    guard fields.count > 19, let ticks = Int64(String(decoding: fields[19], as: UTF8.self)) else { return nil }
    return ticks * (1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK))))
}
