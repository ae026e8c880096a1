/// A value that is printed as JSON, on one line.
package indirect enum JSONValue {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number.
    case number(Int)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// The members, in the order in which they are written.
    case object([(name: String, value: JSONValue)])
}

extension JSONValue: CustomStringConvertible {
    /// The JSON text (RFC 8259), without blanks between its parts.
    package var description: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let value): text += String(value)
        case .string(let value): text.append(json: value)
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                element.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                text.append(json: member.name)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }
}

extension String {
    /// Appends a text as a JSON string; only what must be escaped is.
    fileprivate mutating func append(json text: String) {
        self += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": self += "\\\""
            case "\\": self += "\\\\"
            case "\n": self += "\\n"
            case "\r": self += "\\r"
            case "\t": self += "\\t"
            case "\u{0}"..<"\u{20}":
                self += scalar.value < 16 ? "\\u000" : "\\u00"
                self += String(scalar.value, radix: 16)
            default: unicodeScalars.append(scalar)
            }
        }
        self += "\""
    }
}
