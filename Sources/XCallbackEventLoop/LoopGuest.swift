/// Something with a descriptor of its own, such as the connection of a library, that lives on an event loop.
package protocol LoopGuest: AnyObject {
    /// Goes on, as something has happened on the descriptor.
    func proceed(on loop: isolated EventLoop)
}

extension EventLoop {
    /// Takes a guest into the epoll set; there is room for one.
    ///
    /// - Parameters:
    ///   - guest: The guest, which owns the descriptor.
    ///   - descriptor: The descriptor; it stays open until ``removeGuest(_:)``.
    /// - Throws: ``SystemError`` if the system is out of memory.
    package func add(_ guest: any LoopGuest, _ descriptor: Int32) throws(SystemError) {
        precondition(self.guest == nil, "an event loop has room for one guest")
        try poller.add(descriptor, .readable, as: Member.guest.rawValue)
        self.guest = guest
    }

    /// Changes what the guest waits for.
    ///
    /// - Parameters:
    ///   - descriptor: Its descriptor.
    ///   - waitsForRoom: Whether it waits until it can write, too.
    /// - Throws: ``SystemError`` if the descriptor is not the guest's.
    package func watchGuest(_ descriptor: Int32, waitsForRoom: Bool) throws(SystemError) {
        try poller.modify(descriptor, waitsForRoom ? [.readable, .writable] : .readable, as: Member.guest.rawValue)
    }

    /// Lets the guest go.
    package func removeGuest(_ descriptor: Int32) {
        guest = nil
        poller.remove(descriptor)
    }
}
