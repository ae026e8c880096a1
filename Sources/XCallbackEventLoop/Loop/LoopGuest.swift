package import XCallbackLinux

/// An object with a descriptor of its own, such as the connection of a library, on an event loop.
package protocol LoopGuest: AnyObject {
    /// Continues after an event of the descriptor.
    func proceed(on loop: isolated EventLoop)
}

extension EventLoop {
    /// Above the numbers of all other members of the epoll set; the descriptor is added to it.
    private static let firstGuest: UInt64 = 0xFFFF_FFFF_8000_0000

    /// Adds a guest to the epoll set.
    ///
    /// - Parameters:
    ///   - guest: The guest, which owns the descriptor.
    ///   - descriptor: The descriptor, which must stay open until ``removeGuest(_:)``.
    /// - Throws: ``SystemError`` if the system is out of memory.
    package func add(_ guest: any LoopGuest, _ descriptor: Int32) throws(SystemError) {
        try poller.add(descriptor, .readable, as: Self.guestNumber(descriptor))
        guests[descriptor] = guest
    }

    /// Changes the events that a guest waits for.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor.
    ///   - waitsForRoom: Whether it also waits until it can write.
    /// - Throws: ``SystemError`` if the descriptor does not belong to a guest.
    package func watchGuest(_ descriptor: Int32, waitsForRoom: Bool) throws(SystemError) {
        try poller.modify(
            descriptor, waitsForRoom ? [.readable, .writable] : .readable, as: Self.guestNumber(descriptor))
    }

    /// Removes a guest.
    package func removeGuest(_ descriptor: Int32) {
        guests[descriptor] = nil
        poller.remove(descriptor)
    }

    /// Continues a guest.
    package func proceedGuest(_ descriptor: Int32) { guests[descriptor]?.proceed(on: self) }

    /// Continues a guest whose descriptor is ready.
    func proceedGuest(member number: UInt64) {
        // A guest that was added later in the same batch has nothing to do.
        proceedGuest(Int32(truncatingIfNeeded: number - Self.firstGuest))
    }

    private static func guestNumber(_ descriptor: Int32) -> UInt64 { firstGuest + UInt64(UInt32(descriptor)) }

    /// Returns the loop's only object of a type.
    ///
    /// - Parameter make: Creates the object on the first call.
    /// - Returns: The object.
    package func resident<Resident: AnyObject>(_ make: () -> Resident) -> Resident {
        if let known: Resident = existingResident() { return known }
        let resident = make()
        residents[ObjectIdentifier(Resident.self)] = resident
        return resident
    }

    /// Returns the loop's only object of a type; nil if it was not created.
    package func existingResident<Resident: AnyObject>() -> Resident? {
        residents[ObjectIdentifier(Resident.self)] as? Resident
    }
}
