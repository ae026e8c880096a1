extension JSONValue: CustomStringConvertible {
    /// The JSON text, on one line, without blanks between its parts.
    package var description: String { String(decoding: bytes, as: UTF8.self) }

    /// The JSON text in UTF-8, on one line, without blanks between its parts.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    /// Appends the JSON text in UTF-8, on one line, without blanks between its parts.
    package func write(to bytes: inout [UInt8]) {
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
    /// Appends a text as a JSON string, with only the necessary escapes.
    package mutating func append(json text: String) {
        let utf8 = text.utf8
        append(json: utf8.span)
    }

    /// Appends a UTF-8 text as a JSON string, with only the necessary escapes.
    package mutating func append(json text: Span<UInt8>) {
        append(UInt8(ascii: "\""))
        var start = 0
        // In pieces, so that a long text does not require memory for the case that all of it must be escaped.
        while start < text.count {
            let piece = text.extracting(start..<Swift.min(start + 512, text.count))
            append(addingCapacity: OutputSpan.room(forJSON: piece)) { $0.append(escaping: piece) }
            start += piece.count
        }
        append(UInt8(ascii: "\""))
    }

    /// Appends bytes unchanged.
    package mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }

    /// Appends a text unchanged.
    package mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

extension OutputSpan<UInt8> {
    /// Returns the maximum number of bytes of a text as a JSON string: a control character becomes `\u00XX`.
    @inlinable
    package static func room(forJSON text: Span<UInt8>) -> Int { text.count * 6 + 2 }

    /// Appends a text unchanged; there must be room for it.
    @inlinable @inline(__always)
    package mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends bytes unchanged; there must be room for them.
    @inlinable
    package mutating func append(contentsOf text: Span<UInt8>) {
        text.withUnsafeBytes { append($0) }
    }

    @inlinable @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        // Not reachable for any input: the caller reserves memory for all that is appended.
        precondition(bytes.count <= freeCapacity, "a text that there is no room for")
        withUnsafeMutableBufferPointer { memory, count in
            UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: memory[count...])).copyMemory(
                from: bytes)
            count += bytes.count
        }
    }

    /// Appends a UTF-8 text as a JSON string, with only the necessary escapes.
    ///
    /// There must be room for ``room(forJSON:)`` bytes.
    package mutating func append(json text: Span<UInt8>) {
        append(UInt8(ascii: "\""))
        append(escaping: text)
        append(UInt8(ascii: "\""))
    }

    /// Appends the part of a JSON string between its quotes; there must be as much room as for the complete string.
    package mutating func append(escaping text: Span<UInt8>) {
        var position = 0
        while true {
            let end = endOfPlain(in: text, from: position)
            append(contentsOf: text.extracting(position..<end))
            if end == text.count { return }
            append(escaping: text[end])
            position = end + 1
        }
    }

    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case UInt8(ascii: "\n"): append("\\n")
        case UInt8(ascii: "\r"): append("\\r")
        case UInt8(ascii: "\t"): append("\\t")
        default:
            append("\\u00")
            append(hexadecimalDigit(byte >> 4))
            append(hexadecimalDigit(byte & 15))
        }
    }
}

private func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
