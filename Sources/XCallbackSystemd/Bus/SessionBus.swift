import CSystemd
import Glibc

/// A request of the desktop to an application, over the session's message bus.
package struct BusRequest: Hashable, Sendable {
    /// The URLs to open.
    package var urls: [String] = []
    /// The token that lets a new window take the focus, given for the click; nil without one.
    package var activationToken: String?
    /// The desktop's startup identifier for X11, usually the same as the token; nil without one.
    package var startupID: String?

    /// The maximum number of URLs accepted in a request.
    static let urlLimit = 64
}

/// The session's message bus, on which the desktop finds the application by its name
/// (`org.freedesktop.Application`, Desktop Entry Specification).
///
/// It never blocks: its owner calls ``process()`` when the connection is ready.
package final class SessionBus {
    /// The connection, for its owner to poll.
    package let connection: BusConnection
    private let name: String
    private var requests: [BusRequest] = []
    /// The reason to leave the bus.
    private var failure: BusFailure?

    /// Starts to connect to the session bus and to request a name.
    ///
    /// - Parameter name: The name; it also determines the object path.
    /// - Throws: ``BusFailure`` if there is no bus.
    package init(name: String) throws(BusFailure) {
        connection = try BusConnection()
        self.name = name
        let path = "/" + name.split(separator: ".").joined(separator: "/")
        // `deinit` closes the connection, and so releases the pointer, before this object is freed.
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        let bus = connection.bus
        try BusFailure.check("sd_bus_add_object") { sd_bus_add_object(bus, nil, path, answerCall, pointer) }
        try BusFailure.check("sd_bus_request_name") {
            sd_bus_request_name_async(bus, nil, name, 0, noteName, pointer)
        }
    }

    deinit {
        // Other references to the connection no longer deliver anything through this object.
        connection.close()
    }

    /// Handles pending input and output.
    ///
    /// - Returns: The requests of the desktop.
    /// - Throws: ``BusFailure`` if the bus is gone, or another program owns the name; nothing more will arrive.
    package func process() throws(BusFailure) -> [BusRequest] {
        do {
            try connection.process()
        } catch {
            failure = failure ?? error
        }
        // Requests received before the failure are not lost; the next call throws the failure.
        if requests.isEmpty, let failure { throw failure }
        defer { requests = [] }
        return requests
    }

    /// Releases the name, so that the bus starts another program for later requests.
    ///
    /// It blocks until the bus replies.
    ///
    /// - Returns: The requests that arrived before.
    /// - Throws: ``BusFailure`` if the bus is gone.
    package func leave() throws(BusFailure) -> [BusRequest] {
        try BusFailure.check("sd_bus_release_name") { sd_bus_release_name(connection.bus, name) }
        return try process()
    }

    /// Records whether this program owns the name.
    fileprivate func noteReply(_ reply: OpaquePointer?) {
        if let error = sd_bus_message_get_error(reply) {
            failure = BusFailure(call: "sd_bus_request_name", code: sd_bus_error_get_errno(error))
            return
        }
        var result: UInt32 = 0
        // 1: this program owns the name now; 4: it already owned it (D-Bus Specification, RequestName).
        guard sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "u")), &result) > 0, result == 1 || result == 4 else {
            failure = BusFailure(call: "the name \(name)", code: EEXIST)
            return
        }
    }

    /// Answers a method call; returns 0 if there is no such method.
    fileprivate func answer(_ call: OpaquePointer?) -> Int32 {
        if sd_bus_message_is_method_call(call, Self.application, "Open") > 0 {
            var request = BusRequest()
            let result = request.read(call)
            if result < 0 { return result }
            requests.append(request)
            return reply(to: call)
        }
        // The application has no window to show.
        if sd_bus_message_is_method_call(call, Self.application, "Activate") > 0
            || sd_bus_message_is_method_call(call, Self.application, "ActivateAction") > 0
        {
            return reply(to: call)
        }
        if sd_bus_message_is_method_call(call, "org.freedesktop.DBus.Introspectable", "Introspect") > 0 {
            return reply(to: call, text: Self.description)
        }
        return 0
    }

    private func reply(to call: OpaquePointer?, text: String? = nil) -> Int32 {
        if sd_bus_message_get_expect_reply(call) == 0 { return 1 }
        var reply: OpaquePointer?
        var result = sd_bus_message_new_method_return(call, &reply)
        defer { sd_bus_message_unref(reply) }
        if result >= 0, let text { result = sd_bus_message_append_basic(reply, BusType.string, text) }
        if result >= 0 { result = sd_bus_send(connection.bus, reply, nil) }
        return result < 0 ? result : 1
    }

    private static let application = "org.freedesktop.Application"

    /// The description of the object as D-Bus introspection data.
    private static let description = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" \
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
          <interface name="org.freedesktop.Application">
            <method name="Activate"><arg type="a{sv}" name="platform_data" direction="in"/></method>
            <method name="Open">
              <arg type="as" name="uris" direction="in"/>
              <arg type="a{sv}" name="platform_data" direction="in"/>
            </method>
            <method name="ActivateAction">
              <arg type="s" name="action_name" direction="in"/>
              <arg type="av" name="parameter" direction="in"/>
              <arg type="a{sv}" name="platform_data" direction="in"/>
            </method>
          </interface>
        </node>

        """
}

extension BusRequest {
    /// Reads the parameters of `Open`; returns a negative error number if they are invalid.
    fileprivate mutating func read(_ call: OpaquePointer?) -> Int32 {
        var result = sd_bus_message_enter_container(call, BusType.array, "s")
        var text: UnsafePointer<CChar>?
        while result >= 0 {
            result = sd_bus_message_read_basic(call, BusType.string, &text)
            if result <= 0 { break }
            guard urls.count < Self.urlLimit else { return -E2BIG }
            if let text { urls.append(String(cString: text)) }
        }
        if result >= 0 { result = sd_bus_message_exit_container(call) }
        if result >= 0 { result = sd_bus_message_enter_container(call, BusType.array, "{sv}") }
        while result >= 0 {
            result = sd_bus_message_enter_container(call, BusType.entry, "sv")
            if result <= 0 { break }
            result = readMember(call)
            if result >= 0 { result = sd_bus_message_exit_container(call) }
        }
        return result
    }

    /// Reads an entry of the platform data.
    private mutating func readMember(_ call: OpaquePointer?) -> Int32 {
        var key: UnsafePointer<CChar>?
        var result = sd_bus_message_read_basic(call, BusType.string, &key)
        guard result >= 0, let key else { return result }
        let name = String(cString: key)
        guard ["activation-token", "desktop-startup-id"].contains(name) else { return sd_bus_message_skip(call, "v") }
        var contents: UnsafePointer<CChar>?
        result = sd_bus_message_peek_type(call, nil, &contents)
        guard result >= 0, let contents, strcmp(contents, "s") == 0 else { return sd_bus_message_skip(call, "v") }
        result = sd_bus_message_enter_container(call, BusType.variant, "s")
        var text: UnsafePointer<CChar>?
        if result >= 0 { result = sd_bus_message_read_basic(call, BusType.string, &text) }
        if result >= 0, let text {
            if name == "activation-token" { activationToken = String(cString: text) }
            if name == "desktop-startup-id" { startupID = String(cString: text) }
        }
        return result < 0 ? result : sd_bus_message_exit_container(call)
    }
}

/// Called by the library for each message to the object.
private func answerCall(
    _ call: OpaquePointer?, _ pointer: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let pointer else { return 0 }
    return Unmanaged<SessionBus>.fromOpaque(pointer).takeUnretainedValue().answer(call)
}

/// Called by the library with the bus's reply to the name request.
private func noteName(
    _ reply: OpaquePointer?, _ pointer: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let pointer else { return 0 }
    Unmanaged<SessionBus>.fromOpaque(pointer).takeUnretainedValue().noteReply(reply)
    return 1
}
