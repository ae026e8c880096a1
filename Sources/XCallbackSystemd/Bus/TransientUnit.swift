import CSystemd
import Glibc

/// A unit of the user's service manager, created for one program.
final class TransientUnit {
    private let command: UnitCommand
    /// Its name.
    var name: String { command.name }
    /// Receives the events of the program.
    var note: (UnitEvent) -> Void = { _ in }
    private let hear: (UnitEvent) -> Void
    private var slot: OpaquePointer?
    /// The exit code, status and result that the manager has reported.
    private var mainCode: Int32 = 0
    private var mainStatus: Int32 = 0
    private var result = ""
    private var hasBegun = false
    private var hasStarted = false

    /// Starts to receive the manager's signals about the unit.
    ///
    /// - Parameters:
    ///   - command: The program.
    ///   - connection: The connection.
    ///   - hear: Receives the events of the program.
    /// - Throws: ``BusFailure`` if the connection is gone.
    init(_ command: UnitCommand, on connection: BusConnection, hear: @escaping (UnitEvent) -> Void) throws(BusFailure) {
        self.command = command
        self.hear = hear
        var path: UnsafeMutablePointer<CChar>?
        try BusFailure.check("sd_bus_path_encode") {
            sd_bus_path_encode("/org/freedesktop/systemd1/unit", command.name, &path)
        }
        defer { free(path) }
        guard let path else { return }
        let match =
            "type='signal',sender='org.freedesktop.systemd1',path='\(String(cString: path))',"
            + "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'"
        // `unwatch()` makes the library drop the pointer before this object is freed.
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        var slot: OpaquePointer?
        try BusFailure.check("sd_bus_add_match_async") {
            sd_bus_add_match_async(connection.bus, &slot, match, noteChange, nil, pointer)
        }
        self.slot = slot
    }

    deinit {
        unwatch()
    }

    /// Stops receiving signals.
    func unwatch() {
        slot = sd_bus_slot_unref(slot)
    }

    /// Handles changed properties of the unit.
    fileprivate func take(_ signal: OpaquePointer?) {
        var interface: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(signal, BusType.string, &interface) > 0, let interface else { return }
        var state = ""
        readMembers(signal) { key in
            switch key {
            case "ExecMainCode": return readVariant(signal, of: "i") { mainCode = readInteger($0) ?? 0 } != nil
            case "ExecMainStatus": return readVariant(signal, of: "i") { mainStatus = readInteger($0) ?? 0 } != nil
            case "Result": return readVariant(signal, of: "s") { result = readText($0) ?? "" } != nil
            case "ActiveState": return readVariant(signal, of: "s") { state = readText($0) ?? "" } != nil
            default: return false
            }
        }
        // The properties of the service arrive before those of the unit.
        if mainCode != 0 { return hear(ending) }
        guard strcmp(interface, "org.freedesktop.systemd1.Unit") == 0 else { return }
        switch state {
        case "active" where !hasStarted:
            hasStarted = true
            hear(.started)
        case "activating": hasBegun = true
        case "failed",
            "inactive" where hasBegun || hasStarted:
            hear(.failed(BusFailure(call: "the unit", code: EIO, reason: result)))
        default: break
        }
    }

    /// How the program ended.
    private var ending: UnitEvent {
        guard mainCode == CLD_EXITED else { return .killed(signal: mainStatus) }
        // A program that exits with this status itself looks the same, unless it was seen running.
        if !hasStarted, let failure = command.failure(endingWith: mainStatus) { return .failed(failure) }
        return .exited(status: mainStatus)
    }
}

/// Called by the library for each signal about the unit.
private func noteChange(
    _ signal: OpaquePointer?, _ pointer: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    if let pointer { Unmanaged<TransientUnit>.fromOpaque(pointer).takeUnretainedValue().take(signal) }
    return 0
}

// MARK: - Reading messages

/// Reads the entries of a dictionary; skips those that the function does not read.
private func readMembers(_ message: OpaquePointer?, _ read: (String) -> Bool) {
    guard sd_bus_message_enter_container(message, BusType.array, "{sv}") > 0 else { return }
    while sd_bus_message_enter_container(message, BusType.entry, "sv") > 0 {
        guard let key = readText(message) else { return }
        if !read(key), sd_bus_message_skip(message, "v") < 0 { return }
        if sd_bus_message_exit_container(message) < 0 { return }
    }
    sd_bus_message_exit_container(message)
}

/// Reads a variant if it contains the expected type; nil if not, and then nothing was read.
func readVariant<Value>(
    _ message: OpaquePointer?, of contents: String, _ read: (OpaquePointer?) -> Value
) -> Value? {
    var found: UnsafePointer<CChar>?
    guard sd_bus_message_peek_type(message, nil, &found) > 0, let found, strcmp(found, contents) == 0,
        sd_bus_message_enter_container(message, BusType.variant, contents) > 0
    else { return nil }
    let value = read(message)
    sd_bus_message_exit_container(message)
    return value
}

private func readText(_ message: OpaquePointer?) -> String? {
    var text: UnsafePointer<CChar>?
    guard sd_bus_message_read_basic(message, BusType.string, &text) > 0 else { return nil }
    return text.map { String(cString: $0) }
}

private func readInteger(_ message: OpaquePointer?) -> Int32? {
    var number: Int32 = 0
    return sd_bus_message_read_basic(message, BusType.integer, &number) > 0 ? number : nil
}

/// Reads an array of strings.
func readTexts(_ message: OpaquePointer?) -> [[UInt8]] {
    var texts: [[UInt8]] = []
    guard sd_bus_message_enter_container(message, BusType.array, "s") > 0 else { return texts }
    while let text = readText(message) { texts.append(Array(text.utf8)) }
    sd_bus_message_exit_container(message)
    return texts
}
