import CLinux
import Glibc
import XCallbackLinux

/// An epoll set whose members are told apart by a number of their own.
struct Poller {
    /// What happened to a member.
    struct Events: OptionSet {
        let rawValue: UInt32

        static let readable = Events(rawValue: EPOLLIN.rawValue)
        static let writable = Events(rawValue: EPOLLOUT.rawValue)
        /// Both directions are closed, or the descriptor failed; always told.
        static let gone = Events(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
    }

    /// The descriptor of the set; closed by the one who made it.
    let descriptor: Int32

    init() throws(SystemError) {
        descriptor = try SystemError.check("epoll_create1") { xcb_epoll_create(Int32(EPOLL_CLOEXEC)) }
    }

    /// Adds a descriptor under a number.
    func add(_ member: Int32, _ events: Events, as number: UInt64) throws(SystemError) {
        try control(EPOLL_CTL_ADD, member, events, number)
    }

    /// Changes what a member waits for.
    func modify(_ member: Int32, _ events: Events, as number: UInt64) throws(SystemError) {
        try control(EPOLL_CTL_MOD, member, events, number)
    }

    /// Takes a descriptor out of the set.
    func remove(_ member: Int32) {
        // It fails only if the descriptor is not in the set, and then there is nothing to do.
        _ = xcb_epoll_control(descriptor, EPOLL_CTL_DEL, member, nil)
    }

    /// Waits for events.
    ///
    /// - Parameters:
    ///   - events: Where the events are written.
    ///   - blocks: Whether to wait until there are some.
    /// - Returns: How many there are; 0 if a signal came in between.
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
