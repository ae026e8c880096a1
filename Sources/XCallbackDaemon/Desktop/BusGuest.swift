import XCallbackEventLoop
import XCallbackLinux
import XCallbackSystemd

/// Who is on a bus.
protocol BusMember: AnyObject {
    /// Does what there is to do; an error says that nothing more will come.
    func process(on loop: isolated EventLoop) throws

    /// Hears that nothing more will come, and why.
    func lose(_ error: any Error, on loop: isolated EventLoop)
}

/// A connection to a bus, as it lives on the event loop.
final class BusGuest: LoopGuest {
    private let connection: BusConnection
    private let descriptor: Int32
    private let member: any BusMember
    private var waitsForRoom = false
    private var timer: DelayedCall?

    /// Lets a connection live on a loop.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - member: Who is on the bus by it; kept until it is lost.
    ///   - loop: The loop, on which it is from now on.
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

    /// Takes the connection off the loop.
    func leave(_ loop: isolated EventLoop) {
        if let timer = timer.take() { loop.cancel(timer) }
        loop.removeGuest(descriptor)
    }

    /// Waits for what the connection waits for: to be called after something was sent.
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
