package import XCallbackLinux

/// Something with a descriptor of its own, such as the connection of a library, that lives on an event loop.
package protocol LoopGuest: AnyObject {
    /// Goes on, as something has happened on the descriptor.
    func proceed(on loop: isolated EventLoop)
}

extension EventLoop {
    /// Above the numbers of all other members of the epoll set; the descriptor is added to it.
    private static let firstGuest: UInt64 = 0xFFFF_FFFF_8000_0000

    /// Takes a guest into the epoll set.
    ///
    /// - Parameters:
    ///   - guest: The guest, which owns the descriptor.
    ///   - descriptor: The descriptor; it stays open until ``removeGuest(_:)``.
    /// - Throws: ``SystemError`` if the system is out of memory.
    package func add(_ guest: any LoopGuest, _ descriptor: Int32) throws(SystemError) {
        try poller.add(descriptor, .readable, as: Self.guestNumber(descriptor))
        guests[descriptor] = guest
    }

    /// Changes what a guest waits for.
    ///
    /// - Parameters:
    ///   - descriptor: Its descriptor.
    ///   - waitsForRoom: Whether it waits until it can write, too.
    /// - Throws: ``SystemError`` if the descriptor is no guest's.
    package func watchGuest(_ descriptor: Int32, waitsForRoom: Bool) throws(SystemError) {
        try poller.modify(
            descriptor, waitsForRoom ? [.readable, .writable] : .readable, as: Self.guestNumber(descriptor))
    }

    /// Lets a guest go.
    package func removeGuest(_ descriptor: Int32) {
        guests[descriptor] = nil
        poller.remove(descriptor)
    }

    /// Lets a guest go on.
    package func proceedGuest(_ descriptor: Int32) { guests[descriptor]?.proceed(on: self) }

    /// Lets a guest go on whose descriptor has become ready.
    func proceedGuest(member number: UInt64) {
        // One that came after another in the same batch finds nothing to do.
        proceedGuest(Int32(truncatingIfNeeded: number - Self.firstGuest))
    }

    private static func guestNumber(_ descriptor: Int32) -> UInt64 { firstGuest + UInt64(UInt32(descriptor)) }

    /// The one object of a type that lives on the loop.
    ///
    /// - Parameter make: Makes it, if it was not asked for before.
    /// - Returns: The object.
    package func resident<Resident: AnyObject>(_ make: () -> Resident) -> Resident {
        if let known: Resident = existingResident() { return known }
        let resident = make()
        residents[ObjectIdentifier(Resident.self)] = resident
        return resident
    }

    /// The one object of a type that lives on the loop; nil if it was not made.
    package func existingResident<Resident: AnyObject>() -> Resident? {
        residents[ObjectIdentifier(Resident.self)] as? Resident
    }
}
