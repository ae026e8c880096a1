import XCallbackEventLoop
import XCallbackLinux
import XCallbackSystemd

/// A participant on a bus.
protocol BusMember: AnyObject {
    /// Handles pending input and output; an error means that nothing more will arrive.
    func process(on loop: isolated EventLoop) throws

    /// Handles the loss of the connection, and its reason.
    func lose(_ error: any Error, on loop: isolated EventLoop)
}

/// A connection to a bus, on the event loop.
final class BusGuest: LoopGuest {
    private let connection: BusConnection
    private let descriptor: Int32
    private let member: any BusMember
    private var waitsForRoom = false
    private var timer: DelayedCall?

    /// Adds a connection to a loop.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - member: The participant that uses the connection; kept until the connection is lost.
    ///   - loop: The loop that polls the connection from now on.
    /// - Throws: ``SystemError`` if the system is out of memory.
    init(_ connection: BusConnection, of member: any BusMember, on loop: isolated EventLoop) throws(SystemError) {
        self.connection = connection
        descriptor = connection.descriptor
        self.member = member
        try loop.add(self, descriptor)
    }

    func proceed(on loop: isolated EventLoop) {
        do {
            try member.process(on: loop)
            try watch(on: loop)
        } catch {
            leave(loop)
            member.lose(error, on: loop)
        }
    }

    /// Removes the connection from the loop.
    func leave(_ loop: isolated EventLoop) {
        if let timer = timer.take() { loop.cancel(timer) }
        loop.removeGuest(descriptor)
    }

    /// Updates the events to poll for; called after each send.
    func watch(on loop: isolated EventLoop) throws(SystemError) {
        if connection.waitsForRoom != waitsForRoom {
            waitsForRoom.toggle()
            try loop.watchGuest(descriptor, waitsForRoom: waitsForRoom)
        }
        if let timer = timer.take() { loop.cancel(timer) }
        if let time = connection.timeLeft {
            timer = loop.call(after: time) { [descriptor] in loop.proceedGuest(descriptor) }
        }
    }
}
