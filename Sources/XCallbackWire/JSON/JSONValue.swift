import XCallbackBytes

/// A JSON value (RFC 8259).
package enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, as written.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// The members, in the written order.
    case object([Member])

    /// A member of an object.
    package struct Member: Hashable, Sendable {
        /// Its name.
        package let name: String
        /// Its value.
        package let value: JSONValue

        /// Creates a member.
        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The value of a member; nil if there is no such member, or if this is not an object.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        // Names are compared byte by byte, as in the text; canonically equivalent strings may differ.
        return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
}

extension JSONValue {
    /// The text of a string; nil for any other value.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of an integer that fits; nil for any other value.
    package var integer: Int? {
        if case .number(let number) = self { number.integer } else { nil }
    }

    /// The value of `true` or `false`; nil for any other value.
    package var truth: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements of a list; nil for any other value.
    package var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object; nil for any other value.
    package var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension JSONValue {
    /// Returns a text, or `null` without a text.
    package static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// Returns an array of texts.
    package static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Creates an object from names, which must be unique, and values.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0, $1) })
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// Creates a string.
    package init(stringLiteral value: String) { self = .string(value) }

    /// Creates a list.
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

/// A JSON number; it keeps its text, so that no precision is lost.
package struct JSONNumber: Hashable, Sendable {
    /// The text.
    package let text: String

    /// Creates a number from its text; nil if the text is not a JSON number.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, lengthOfNumber(in: bytes.span, from: 0) == bytes.count else { return nil }
        self.text = text
    }

    /// Creates an integer.
    package init(_ value: some FixedWidthInteger) {
        text = String(value)
    }

    /// Creates a number of seconds, accurate to a nanosecond.
    package init(seconds: Duration) {
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: 32) { $0.append(seconds: seconds) }
        text = String(utf8: bytes.span)
    }

    /// Creates a number from a text that is known to be valid.
    init(checked text: String) {
        self.text = text
    }

    /// The value, if the number is written as an integer and fits.
    package var integer: Int? { Int(text) }
}

extension JSONNumber: ExpressibleByIntegerLiteral {
    /// Creates an integer.
    package init(integerLiteral value: Int) {
        self.init(value)
    }
}

/// Returns the number of bytes of a number at a position; 0 if there is none, nil if it is incomplete.
func lengthOfNumber(in bytes: Span<UInt8>, from start: Int) -> Int? {
    var end = start
    func byte() -> UInt8 { end < bytes.count ? bytes[end] : 0 }
    func skipDigits() -> Bool {
        let first = end
        while isDigit(byte()) { end += 1 }
        return end > first
    }
    if byte() == UInt8(ascii: "-") { end += 1 }
    if byte() == UInt8(ascii: "0") {
        end += 1
    } else if !skipDigits() {
        return end == start ? 0 : nil
    }
    if byte() == UInt8(ascii: ".") {
        end += 1
        guard skipDigits() else { return nil }
    }
    if byte() | 0x20 == UInt8(ascii: "e") {
        end += 1
        if byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-") { end += 1 }
        guard skipDigits() else { return nil }
    }
    return end - start
}

private func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
}
