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
    ///   - descriptor: The descriptor, which must stay open.
    /// - Throws: ``SystemError`` if the system is out of memory.
    package func add(_ guest: any LoopGuest, _ descriptor: Int32) throws(SystemError) {
        try poller.add(descriptor, .readable, as: Self.firstGuest + UInt64(UInt32(descriptor)))
        guests[descriptor] = guest
    }

    /// Continues a guest whose descriptor is ready.
    func proceedGuest(member number: UInt64) {
        guests[Int32(truncatingIfNeeded: number - Self.firstGuest)]?.proceed(on: self)
    }

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
