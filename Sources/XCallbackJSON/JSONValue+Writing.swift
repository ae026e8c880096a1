extension JSONValue: CustomStringConvertible {
    /// The JSON text, on one line, without blanks between its parts.
    package var description: String { String(decoding: bytes, as: UTF8.self) }

    /// The JSON text in UTF-8, on one line, without blanks between its parts.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let number): bytes += number.text.utf8
        case .string(let text): bytes.append(json: text)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes.append(json: member.name)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

extension [UInt8] {
    /// Appends a text as a JSON string; only what must be escaped is.
    fileprivate mutating func append(json text: String) {
        append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): self += "\\\"".utf8
            case UInt8(ascii: "\\"): self += "\\\\".utf8
            case UInt8(ascii: "\n"): self += "\\n".utf8
            case UInt8(ascii: "\r"): self += "\\r".utf8
            case UInt8(ascii: "\t"): self += "\\t".utf8
            case 0..<0x20: self += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }
}
