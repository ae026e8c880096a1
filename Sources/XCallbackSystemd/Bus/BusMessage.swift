import CSystemd
import Glibc

/// A method call on the bus, which can be written.
///
/// The first failure is kept until the message is sent, so that the code that writes a message needs no error handling.
final class BusMessage {
    private var pointer: OpaquePointer?
    private var code: Int32

    /// Starts a call.
    init(
        on connection: BusConnection, to service: String, at path: String, _ interface: String, _ method: String
    ) {
        code = sd_bus_message_new_method_call(connection.bus, &pointer, service, path, interface, method)
        // No service is started for a call: only running services matter.
        if code >= 0 { code = sd_bus_message_set_auto_start(pointer, 0) }
    }

    deinit {
        sd_bus_message_unref(pointer)
    }

    /// Returns the message for the library, if all of it could be written.
    func checked() throws(BusFailure) -> OpaquePointer {
        guard code >= 0, let pointer else { throw BusFailure(call: "sd_bus_message_append", code: -code) }
        return pointer
    }

    /// Appends a string.
    func append(_ text: String) {
        perform { sd_bus_message_append_basic($0, BusType.string, text) }
    }

    /// Appends a string without NUL.
    func append(_ text: [UInt8]) {
        (text + [0]).withUnsafeBytes { bytes in
            perform { sd_bus_message_append_basic($0, BusType.string, bytes.baseAddress) }
        }
    }

    /// Appends a value of a type with a fixed size.
    func append<Value: BitwiseCopyable>(_ value: Value, as type: CChar) {
        withUnsafeBytes(of: value) { bytes in
            perform { sd_bus_message_append_basic($0, type, bytes.baseAddress) }
        }
    }

    /// Appends an array of strings.
    func append(_ texts: [[UInt8]]) {
        within(BusType.array, "s") { for text in texts { append(text) } }
    }

    /// Appends a container.
    ///
    /// - Parameters:
    ///   - type: The type of the container.
    ///   - contents: The types of its elements.
    ///   - body: Writes its elements.
    func within(_ type: CChar, _ contents: String, _ body: () -> Void) {
        perform { sd_bus_message_open_container($0, type, contents) }
        body()
        perform { sd_bus_message_close_container($0) }
    }

    /// Appends a property of a new unit.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - type: The type of its value.
    ///   - body: Writes the value.
    func property(_ name: String, _ type: String, _ body: () -> Void) {
        within(BusType.structure, "sv") {
            append(name)
            within(BusType.variant, type, body)
        }
    }

    private func perform(_ body: (OpaquePointer?) -> Int32) {
        if code >= 0 { code = body(pointer) }
    }
}

/// The D-Bus types that messages use.
enum BusType {
    static let string = CChar(UInt8(ascii: "s"))
    static let array = CChar(UInt8(ascii: "a"))
    static let entry = CChar(UInt8(ascii: "e"))
    static let variant = CChar(UInt8(ascii: "v"))
    static let structure = CChar(UInt8(ascii: "r"))
    static let byte = CChar(UInt8(ascii: "y"))
    static let integer = CChar(UInt8(ascii: "i"))
    static let size = CChar(UInt8(ascii: "t"))
    static let boolean = CChar(UInt8(ascii: "b"))
    static let descriptor = CChar(UInt8(ascii: "h"))
}
