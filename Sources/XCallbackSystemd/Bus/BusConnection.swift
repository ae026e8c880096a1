import CSystemd
import Glibc

/// The reason why the bus is missing or gone, or why a call was rejected.
package struct BusFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation that failed.
    let call: String
    /// The value of `errno`.
    package let code: Int32
    /// The message of the peer that rejected the call.
    var reason: String?

    /// The operation and the reason for the failure.
    package var description: String {
        "\(call): \(reason ?? strerror(code).map { String(cString: $0) } ?? "error \(code)")"
    }

    /// The operation, and the reason if ``code`` does not include it.
    package var subject: String { reason.map { "\(call) (\($0))" } ?? call }

    /// Whether no process on the bus owns the name that was called.
    package var isOfAbsentee: Bool { code == ENXIO || code == EHOSTUNREACH }

    /// Calls a function that returns a negative error number on failure.
    @discardableResult
    static func check(_ call: String, _ body: () -> Int32) throws(BusFailure) -> Int32 {
        let result = body()
        if result < 0 { throw BusFailure(call: call, code: -result) }
        return result
    }

    /// Creates the failure that a reply reports; nil if it reports none.
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
/// It never blocks: its owner calls ``process()`` when ``descriptor`` is readable, or writable if ``waitsForRoom``, and
/// when ``timeLeft`` has passed.
package final class BusConnection {
    /// The connection in the library.
    let bus: OpaquePointer

    /// Starts to connect.
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

    /// The descriptor to poll.
    package var descriptor: Int32 { sd_bus_get_fd(bus) }

    /// Whether to poll for writing, in addition to reading.
    package var waitsForRoom: Bool { sd_bus_get_events(bus) & POLLOUT != 0 }

    /// How long ``process()`` need not be called; nil for no limit.
    package var timeLeft: Duration? {
        var time: UInt64 = 0
        guard sd_bus_get_timeout(bus, &time) >= 0, time != .max else { return nil }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
        return .microseconds(Int64(clamping: time > microseconds ? time - microseconds : 0))
    }

    /// Handles pending input and output, and passes replies and signals to their callbacks.
    ///
    /// - Throws: ``BusFailure`` if the bus is gone; nothing more will arrive.
    package func process() throws(BusFailure) {
        while try BusFailure.check("sd_bus_process", { sd_bus_process(bus, nil) }) > 0 {}
    }

    /// Sends a call, and passes on its reply, or an error if there is none in time.
    ///
    /// - Parameters:
    ///   - message: The call.
    ///   - limit: The timeout of the reply.
    ///   - reply: Receives the reply, unless the connection is closed before.
    /// - Throws: ``BusFailure`` if the call cannot be sent.
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

    /// Sends a call without expecting a reply.
    func send(_ message: BusMessage) throws(BusFailure) {
        let pointer = try message.checked()
        try BusFailure.check("sd_bus_send") {
            sd_bus_message_set_expect_reply(pointer, 0)
            return sd_bus_send(bus, pointer, nil)
        }
    }
}

/// Receives the reply to a call.
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
