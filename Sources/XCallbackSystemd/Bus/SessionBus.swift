import CSystemd
import Glibc

/// What the desktop asks an application for, over the session's message bus.
package struct BusRequest: Hashable, Sendable {
    /// The URLs to open.
    package var urls: [String] = []
    /// What lets the window that opens take the focus, as the one that was clicked allows it; nil if there is none.
    package var activationToken: String?
    /// What the desktop calls the start, for X11, where it is usually the same; nil if there is none.
    package var startupID: String?

    /// How many URLs are taken of one request.
    static let urlLimit = 64
}

/// The session's message bus, on which the desktop finds the application under its name
/// (`org.freedesktop.Application`, Desktop Entry Specification).
///
/// It never waits: whoever owns it calls ``process()`` when its connection says so.
package final class SessionBus {
    /// The connection, for whoever looks after it.
    package let connection: BusConnection
    private let name: String
    private var requests: [BusRequest] = []
    /// Why the bus can be left.
    private var failure: BusFailure?

    /// Begins to connect to the bus of the session, and to ask for a name.
    ///
    /// - Parameter name: The name; the path of the object is made of it.
    /// - Throws: ``BusFailure`` if there is no bus.
    package init(name: String) throws(BusFailure) {
        connection = try BusConnection()
        self.name = name
        let path = "/" + name.split(separator: ".").joined(separator: "/")
        // The bus lets go of the pointer before this is gone: it is closed there.
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        let bus = connection.bus
        try BusFailure.check("sd_bus_add_object") { sd_bus_add_object(bus, nil, path, answerCall, pointer) }
        try BusFailure.check("sd_bus_request_name") {
            sd_bus_request_name_async(bus, nil, name, 0, noteName, pointer)
        }
    }

    deinit {
        // Whoever else keeps the connection hears nothing through this any more.
        connection.close()
    }

    /// Does what there is to do.
    ///
    /// - Returns: What the desktop asks for.
    /// - Throws: ``BusFailure`` if the bus is gone, or the name is another program's: nothing more will come.
    package func process() throws(BusFailure) -> [BusRequest] {
        do {
            try connection.process()
        } catch {
            failure = failure ?? error
        }
        // What has come before the end is not lost: the end is told the next time.
        if requests.isEmpty, let failure { throw failure }
        defer { requests = [] }
        return requests
    }

    /// Gives the name back, so that the bus starts another program for whoever asks from now on.
    ///
    /// It waits for the bus.
    ///
    /// - Returns: What the desktop has asked for before.
    /// - Throws: ``BusFailure`` if the bus is gone.
    package func leave() throws(BusFailure) -> [BusRequest] {
        try BusFailure.check("sd_bus_release_name") { sd_bus_release_name(connection.bus, name) }
        return try process()
    }

    /// Notes whether the name is this program's.
    fileprivate func noteReply(_ reply: OpaquePointer?) {
        if let error = sd_bus_message_get_error(reply) {
            failure = BusFailure(call: "sd_bus_request_name", code: sd_bus_error_get_errno(error))
            return
        }
        var result: UInt32 = 0
        // 1: the name is ours; 4: it was already (D-Bus Specification, RequestName).
        guard sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "u")), &result) > 0, result == 1 || result == 4 else {
            failure = BusFailure(call: "the name \(name)", code: EEXIST)
            return
        }
    }

    /// Answers a call of a method; 0 if there is no such method.
    fileprivate func answer(_ call: OpaquePointer?) -> Int32 {
        if sd_bus_message_is_method_call(call, Self.application, "Open") > 0 {
            var request = BusRequest()
            let result = request.read(call)
            if result < 0 { return result }
            requests.append(request)
            return reply(to: call)
        }
        // There is no window to show.
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

    /// What the object can do, in the form of D-Bus.
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
    /// Reads the parameters of `Open`; a negative error number if they are not as they should be.
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

    /// Reads one of the desktop's facts.
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

/// Called by the library with the reply of the bus to the request for the name.
private func noteName(
    _ reply: OpaquePointer?, _ pointer: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let pointer else { return 0 }
    Unmanaged<SessionBus>.fromOpaque(pointer).takeUnretainedValue().noteReply(reply)
    return 1
}
