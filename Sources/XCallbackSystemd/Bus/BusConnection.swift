import CSystemd
import Glibc

/// Why there is no bus, or none any more, or what has refused a call.
package struct BusFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What could not be done.
    let call: String
    /// The value of `errno`.
    package let code: Int32
    /// The words of who has refused it.
    var reason: String?

    /// The call, and the words for the failure.
    package var description: String {
        "\(call): \(reason ?? strerror(code).map { String(cString: $0) } ?? "error \(code)")"
    }

    /// What could not be done, and why as far as ``code`` does not tell it.
    package var subject: String { reason.map { "\(call) (\($0))" } ?? call }

    /// Whether nothing on the bus has the name that was called.
    package var isOfAbsentee: Bool { code == ENXIO || code == EHOSTUNREACH }

    /// Makes a call that returns a negative error number when it fails.
    @discardableResult
    static func check(_ call: String, _ body: () -> Int32) throws(BusFailure) -> Int32 {
        let result = body()
        if result < 0 { throw BusFailure(call: call, code: -result) }
        return result
    }

    /// The failure that a reply tells of; nil if it tells of none.
    init?(_ call: String, reply: OpaquePointer?) {
        guard let error = sd_bus_message_get_error(reply) else { return nil }
        self.init(
            call: call, code: sd_bus_error_get_errno(error), reason: error.pointee.message.map { String(cString: $0) })
    }

    /// The failure of a connection.
    package init(code: Int32) {
        self.init(call: "the connection", code: code)
    }

    init(call: String, code: Int32, reason: String? = nil) {
        self.call = call
        self.code = code
        self.reason = reason
    }
}

/// A connection to the message bus of the user.
///
/// It never waits: whoever owns it calls ``process()`` when ``descriptor`` can be read, or written if
/// ``waitsForRoom``, and when ``timeLeft`` is over.
package final class BusConnection {
    /// What the library calls the connection.
    let bus: OpaquePointer

    /// Begins to connect.
    ///
    /// - Throws: ``BusFailure`` if there is no bus.
    init() throws(BusFailure) {
        var bus: OpaquePointer?
        try BusFailure.check("sd_bus_open_user") { sd_bus_open_user(&bus) }
        guard let bus else { throw BusFailure(call: "sd_bus_open_user", code: ENOTCONN) }
        self.bus = bus
    }

    deinit {
        sd_bus_close_unref(bus)
    }

    /// Closes the connection.
    func close() { sd_bus_close(bus) }

    /// What to wait on.
    package var descriptor: Int32 { sd_bus_get_fd(bus) }

    /// Whether it has something to send, beside what it waits for.
    package var waitsForRoom: Bool { sd_bus_get_events(bus) & POLLOUT != 0 }

    /// How long it may be left alone; nil if that does not matter.
    package var timeLeft: Duration? {
        var time: UInt64 = 0
        guard sd_bus_get_timeout(bus, &time) >= 0, time != .max else { return nil }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
        return .microseconds(Int64(clamping: time > microseconds ? time - microseconds : 0))
    }

    /// Does what there is to do; what has asked for it hears of what has come.
    ///
    /// - Throws: ``BusFailure`` if the bus is gone: nothing more will come.
    package func process() throws(BusFailure) {
        while try BusFailure.check("sd_bus_process", { sd_bus_process(bus, nil) }) > 0 {}
    }

    /// Sends a call, and tells its reply, or that there is none in time.
    ///
    /// - Parameters:
    ///   - message: The call.
    ///   - limit: How long the reply may take.
    ///   - reply: Takes the reply, unless the connection is closed before.
    /// - Throws: ``BusFailure`` if it cannot be sent.
    func call(
        _ message: BusMessage, within limit: Duration, reply: @escaping (OpaquePointer?) -> Void
    ) throws(BusFailure) {
        let pointer = try message.checked()
        let taker = Unmanaged.passRetained(ReplyTaker(reply))
        var slot: OpaquePointer?
        let result = sd_bus_call_async(
            bus, &slot, pointer, takeReply, taker.toOpaque(), UInt64(limit / .microseconds(1)))
        guard result >= 0 else {
            taker.release()
            throw BusFailure(call: "sd_bus_call_async", code: -result)
        }
        sd_bus_slot_set_destroy_callback(slot) { pointer in
            if let pointer { Unmanaged<ReplyTaker>.fromOpaque(pointer).release() }
        }
        sd_bus_slot_set_floating(slot, 1)
    }

    /// Sends a call whose reply nobody wants.
    func send(_ message: BusMessage) throws(BusFailure) {
        let pointer = try message.checked()
        try BusFailure.check("sd_bus_send") {
            sd_bus_message_set_expect_reply(pointer, 0)
            return sd_bus_send(bus, pointer, nil)
        }
    }
}

/// Who takes the reply to a call.
private final class ReplyTaker {
    let take: (OpaquePointer?) -> Void

    init(_ take: @escaping (OpaquePointer?) -> Void) {
        self.take = take
    }
}

/// Called by the library with the reply to a call.
private func takeReply(
    _ reply: OpaquePointer?, _ pointer: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    if let pointer { Unmanaged<ReplyTaker>.fromOpaque(pointer).takeUnretainedValue().take(reply) }
    return 1
}
