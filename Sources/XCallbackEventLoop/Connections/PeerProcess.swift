import CLinux
import Glibc
import XCallbackLinux

/// A process that cannot be confused with another one that reuses its ID.
package final class PeerProcess: Sendable {
    /// The process ID.
    package let id: Int32
    private let handle: Descriptor

    init(_ handle: consuming Descriptor, _ id: Int32) {
        self.handle = handle
        self.id = id
    }

    /// Finds the process with an ID if it has been running since before a given time.
    ///
    /// A process that reuses the ID of a peer has started after the connection was made. This is not detected if it started
    /// before the connection was accepted, or within the same tick.
    ///
    /// - Parameters:
    ///   - id: The process ID.
    ///   - time: A time in nanoseconds of the boot-time clock, which process start times use.
    package convenience init?(numbered id: Int32, startedBefore time: Int64) {
        let number = pidfd_open(id, 0)
        guard number >= 0 else { return nil }
        let handle = Descriptor(number)
        // The start time belongs to this process only if it was still running after the read.
        guard let start = startTime(of: id), start <= time, handle.isOfRunningProcess else { return nil }
        self.init(handle, id)
    }

    /// Whether the process is still running, so that the facts read under its ID until now are its own.
    package var isRunning: Bool { handle.isOfRunningProcess }
}

extension Descriptor {
    /// Whether the process of this pidfd is running.
    fileprivate var isOfRunningProcess: Bool {
        var member = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&member, 1, 0) == 0
    }
}

extension EventLoop {
    /// The maximum number of supplementary groups to read: the kernel takes 2 ms for 65,536 of them.
    package static let groupLimit = 1024

    /// Returns the supplementary groups that the peer of a connection had when it connected.
    ///
    /// - Returns: The groups, which are read once for each connection; nil if the connection is gone, or if there are more
    ///   than ``groupLimit``.
    package func groups(of connection: UInt64) -> [UInt32]? {
        guard let connection = connections[ConnectionID(rawValue: connection)] else { return nil }
        if let groups = connection.remote.groups { return groups }
        var groups = [UInt32](repeating: 0, count: Self.groupLimit)
        let count = Int(xcb_peer_groups(connection.number, &groups, Int32(groups.count)))
        guard 0...Self.groupLimit ~= count else { return nil }
        connection.remote.groups = Array(groups[..<count])
        return connection.remote.groups
    }

    /// Returns the process at the other end of a connection; nil if it is gone or cannot be seen from here.
    package func peerProcess(of connection: UInt64) -> PeerProcess? {
        guard let connection = connections[ConnectionID(rawValue: connection)] else { return nil }
        var peer = xcb_peer()
        guard xcb_peer_read(connection.number, &peer) == 0, peer.pid > 0 else { return nil }
        let handle = xcb_peer_handle(connection.number)
        let code = errno
        if handle >= 0 { return PeerProcess(Descriptor(handle), peer.pid) }
        // Before Linux 6.5 the kernel offers no pidfd.
        return code == ENOPROTOOPT
            ? PeerProcess(numbered: peer.pid, startedBefore: connection.remote.acceptedTime) : nil
    }
}

/// Returns when a process started, in nanoseconds, rounded down to ticks.
private func startTime(of process: Int32) -> Int64? {
    ProcessState(of: process).map { Int64($0.startTime) * (1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK)))) }
}
