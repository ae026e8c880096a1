import XCallbackClient
import XCallbackConfiguration
import XCallbackWire

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
