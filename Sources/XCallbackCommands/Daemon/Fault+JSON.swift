import XCallbackClient
import XCallbackConfiguration
import XCallbackJSON

extension Fault {
    /// The fault for programs: an object; a line of 0 means the file as a whole.
    var json: JSONValue {
        [
            "file": .string(place.file), "line": .number(JSONNumber(place.line)),
            "column": .number(JSONNumber(place.column)), "message": .string(message),
            "other": other.map { .string("\($0.place)") } ?? .null,
        ]
    }
}

extension Client.Fault {
    /// The fault for programs, as the daemon tells it: an object; a line of 0 means the file as a whole.
    private var json: JSONValue {
        [
            "file": .string(file), "line": .number(JSONNumber(line ?? 0)), "column": .number(JSONNumber(column ?? 0)),
            "message": .string(message),
        ]
    }

    /// What a program reads instead of the result that faults prevent: an object.
    static func report(_ faults: [Self]) -> JSONValue { ["faults": .array(faults.map(\.json))] }
}

extension ConfigurationError {
    /// What a program reads instead of the result that faults prevent: an object.
    var report: JSONValue { ["faults": .array(faults.map(\.json))] }
}
