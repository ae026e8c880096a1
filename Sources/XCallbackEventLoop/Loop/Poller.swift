import CLinux
import Glibc
import XCallbackLinux

/// An epoll set whose members are identified by numbers of their own.
struct Poller {
    /// The events of a member.
    struct Events: OptionSet {
        let rawValue: UInt32

        static let readable = Events(rawValue: EPOLLIN.rawValue)
        static let writable = Events(rawValue: EPOLLOUT.rawValue)
        /// Both directions are closed, or the descriptor has failed; always reported.
        static let gone = Events(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
    }

    /// The descriptor of the set; its creator must close it.
    let descriptor: Int32

    init() throws(SystemError) {
        descriptor = try SystemError.check("epoll_create1") { xcb_epoll_create(Int32(EPOLL_CLOEXEC)) }
    }

    /// Adds a descriptor with a number.
    func add(_ member: Int32, _ events: Events, as number: UInt64) throws(SystemError) {
        try control(EPOLL_CTL_ADD, member, events, number)
    }

    /// Changes the events of a member.
    func modify(_ member: Int32, _ events: Events, as number: UInt64) throws(SystemError) {
        try control(EPOLL_CTL_MOD, member, events, number)
    }

    /// Removes a descriptor from the set.
    func remove(_ member: Int32) {
        // Fails only if the descriptor is not in the set, and then there is nothing to do.
        _ = xcb_epoll_control(descriptor, EPOLL_CTL_DEL, member, nil)
    }

    /// Waits for events.
    ///
    /// - Parameters:
    ///   - events: Receives the events.
    ///   - blocks: Whether to wait until there are events.
    /// - Returns: The number of events; 0 if a signal interrupted the call.
    /// - Throws: ``SystemError`` if the set is closed.
    func wait(into events: inout [epoll_event], blocks: Bool) throws(SystemError) -> Int {
        let count = xcb_epoll_wait(descriptor, &events, Int32(events.count), blocks ? -1 : 0)
        if count >= 0 { return Int(count) }
        let code = errno
        if code == EINTR { return 0 }
        throw SystemError("epoll_wait", code: code)
    }

    private func control(_ operation: Int32, _ member: Int32, _ events: Events, _ number: UInt64) throws(SystemError) {
        var event = epoll_event()
        event.events = events.rawValue
        event.data.u64 = number
        _ = try SystemError.check("epoll_ctl") { xcb_epoll_control(descriptor, operation, member, &event) }
    }
}

/// The signals that a loop reads; they must be blocked in all threads.
struct Signals: ~Copyable {
    private let queue: Descriptor

    init(_ numbers: [Int32]) throws(SystemError) {
        var set = signalSet(numbers)
        queue = Descriptor(
            try SystemError.check("signalfd") { xcb_signals(&set, Int32(SFD_NONBLOCK | SFD_CLOEXEC)) })
    }

    var descriptor: Int32 { queue.number }

    /// Takes the next signal; nil if there is none now.
    func next() -> Int32? {
        var info = signalfd_siginfo()
        let count = xcb_read(queue.number, &info, MemoryLayout<signalfd_siginfo>.size)
        return count == MemoryLayout<signalfd_siginfo>.size ? Int32(info.ssi_signo) : nil
    }
}
