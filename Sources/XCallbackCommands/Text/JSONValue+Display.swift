import XCallbackConfiguration
import XCallbackWire

extension JSONValue {
    /// The JSON text on one line, with invisible characters as `\u001b`: the same value, which cannot control a terminal.
    var visibleText: String {
        // Outside of strings, JSON is ASCII.
        description.unicodeScalars.reduce(into: "") { result, scalar in
            guard scalar.isHidden else { return result.unicodeScalars.append(scalar) }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
}
