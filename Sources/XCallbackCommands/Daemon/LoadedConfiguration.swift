import ArgumentParser
import Glibc
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackWire

extension ConfigurationPlaces {
    /// Creates the configuration locations of the calling user's daemon.
    ///
    /// - Parameter path: The configuration file; nil for the daemon's default.
    init(of path: String?) {
        if let path {
            self.init(file: path)
        } else {
            let isSystem = geteuid() == 0
            self.init(isSystem: isSystem) { name in getenv(name).map { String(cString: $0) } }
        }
    }

    /// Whether no configuration file exists.
    var isEmpty: Bool { candidates.allSatisfy { access($0, F_OK) != 0 && errno == ENOENT } }
}

extension RouterConfiguration {
    /// Loads a configuration as the calling user's daemon would, without reading secrets, because it serves no requests.
    ///
    /// - Parameter path: The configuration file; nil for the daemon's default.
    /// - Throws: ``ConfigurationError`` with all faults.
    init(loading path: String?) throws(ConfigurationError) {
        try self.init(reading: ConfigurationPlaces(of: path))
    }

    /// Loads a configuration from its locations in the same way.
    init(reading places: ConfigurationPlaces) throws(ConfigurationError) {
        try self.init(in: places, ownership: places.ownership, logger: .silent, purpose: .reading)
    }

    /// Loads a configuration as the calling user's daemon would, for a command.
    ///
    /// - Parameters:
    ///   - path: The configuration file; nil for the daemon's default.
    ///   - isForProgram: Whether a program reads the result; then the faults go to standard output, too.
    /// - Throws: ``ConfigurationError`` with all faults, or ``Failure``.
    init(checking path: String?, isForProgram: Bool) throws {
        do throws(ConfigurationError) {
            try self.init(loading: path)
        } catch {
            if isForProgram { try Terminal.print(error.report) }
            throw error
        }
    }
}

extension Fault {
    /// The fault as a JSON object; line 0 means the whole file.
    var json: JSONValue {
        [
            "file": .string(place.file), "line": .number(JSONNumber(place.line)),
            "column": .number(JSONNumber(place.column)), "message": .string(message),
            "other": other.map { .string("\($0.place)") } ?? .null,
        ]
    }
}

extension Client.Fault {
    /// The fault as a JSON object, in the daemon's form; line 0 means the whole file.
    private var json: JSONValue {
        [
            "file": .string(file), "line": .number(JSONNumber(line ?? 0)), "column": .number(JSONNumber(column ?? 0)),
            "message": .string(message),
        ]
    }

    /// The JSON object that replaces the result that faults prevent.
    static func report(_ faults: [Self]) -> JSONValue { ["faults": .array(faults.map(\.json))] }
}

extension ConfigurationError {
    /// The JSON object that replaces the result that faults prevent.
    var report: JSONValue { ["faults": .array(faults.map(\.json))] }
}
