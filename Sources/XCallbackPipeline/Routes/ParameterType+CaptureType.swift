package import XCallbackRouting
package import XCallbackURL

extension ParameterType {
    /// The facts about the type of a capture for the routing table.
    package var captureType: CaptureType {
        switch self {
        case .enumeration(let values):
            CaptureType(name: routingName, examples: values, isEnumeration: true) { matches($0) }
        case .string: type(nil, ["a"])
        case .integer: type("-0123456789", ["0", "0000"])
        case .number: type("-+.0123456789eE", ["0", "0000"])
        case .boolean: type("01TRUEYSFALNOtrueysfalno", ["true", "1"])
        case .date: type("-+.:0123456789TZ", ["2026-01-31"])
        case .url: type(nil, ["a:b"])
        case .json: type(nil, ["0"])
        case .uuid: type("-0123456789ABCDEFabcdef", ["00000000-0000-0000-0000-000000000000"])
        case .data:
            type("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=", ["AAAA"])
        }
    }

    private func type(_ alphabet: String?, _ examples: [String]) -> CaptureType {
        CaptureType(name: name, alphabet: alphabet, examples: examples) { matches($0) }
    }
}
