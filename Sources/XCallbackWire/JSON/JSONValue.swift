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
        package let name: String
        package let value: JSONValue

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

    /// Returns a text, or `null` without a text.
    package static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// Returns an array of texts.
    package static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}

extension [JSONValue.Member] {
    /// Creates the members of an object without those that have no value.
    package init(present members: KeyValuePairs<String, JSONValue?>) {
        self = members.compactMap { name, value in value.map { .init(name, $0) } }
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Creates an object from names, which must be unique, and values.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0, $1) })
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    package init(stringLiteral value: String) { self = .string(value) }

    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

/// A JSON number; it keeps its text, so that no precision is lost.
package struct JSONNumber: Hashable, Sendable {
    package let text: String

    /// Creates a number from its text; nil if the text is not a JSON number.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, lengthOfNumber(in: bytes.span, from: 0) == bytes.count else { return nil }
        self.text = text
    }

    package init(_ value: some FixedWidthInteger) {
        text = String(value)
    }

    /// Creates a number of seconds with a fraction, accurate to a nanosecond.
    package init(seconds: Duration) {
        let (whole, attoseconds) = seconds.components
        let digits = String(attoseconds.magnitude / 1_000_000_000)
        var fraction = String(repeating: "0", count: 9 - digits.utf8.count) + digits
        while fraction.utf8.count > 1, fraction.utf8.last == UInt8(ascii: "0") { fraction.removeLast() }
        text = "\(whole < 0 || attoseconds < 0 ? "-" : "")\(whole.magnitude).\(fraction)"
    }

    /// Creates a number from a text that is known to be valid.
    init(checked text: String) {
        self.text = text
    }

    /// The value, if the number is written as an integer and fits.
    package var integer: Int? { Int(text) }
}

extension JSONNumber: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int) {
        self.init(value)
    }
}

/// Returns the number of bytes of a number at a position; 0 if there is none, nil if it is incomplete.
package func lengthOfNumber(in bytes: Span<UInt8>, from start: Int) -> Int? {
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

/// The reason why a text is not JSON, or exceeds a limit.
package struct JSONError: Error, Hashable, Sendable {
    /// The kind of fault.
    package enum Reason: Hashable, Sendable {
        /// The text ends within a value.
        case unexpectedEnd
        /// A value was expected.
        case notAValue
        /// One of the named elements was expected.
        case expected(String)
        /// There is text after the value.
        case trailingText
        /// A number such as `1.` or `-`.
        case badNumber
        /// A string contains a raw control character.
        case controlCharacter
        /// A `\` is not followed by a valid escape.
        case badEscape
        /// A UTF-16 surrogate has no partner.
        case loneSurrogate
        /// A string is not UTF-8.
        case notUTF8
        /// Two members of an object have the same name.
        case repeatedName
        /// Lists and objects are nested too deeply.
        case tooDeep(limit: Int)
        /// There are too many values.
        case tooMany(limit: Int)
        /// The text is too long.
        case tooLong(limit: Int)
    }

    package let reason: Reason
    /// The byte offset of the fault, starting at 0.
    package let offset: Int
}

extension JSONError: CustomStringConvertible {
    /// The fault and its position.
    package var description: String { "\(text) at byte \(offset)" }

    private var text: String {
        switch reason {
        case .unexpectedEnd: "the end within a value"
        case .notAValue: "something that is not a value"
        case .expected(let what): "something else instead of \(what)"
        case .trailingText: "something after the value"
        case .badNumber: "a number that is not whole"
        case .controlCharacter: "a control character that is not escaped"
        case .badEscape: "an escape that is unknown"
        case .loneSurrogate: "half of a surrogate pair"
        case .notUTF8: "text that is not UTF-8"
        case .repeatedName: "a name that is there already"
        case .tooDeep(let limit): "more than \(limit) lists and objects within one another"
        case .tooMany(let limit): "more than \(limit) names and values"
        case .tooLong(let limit): "more than \(limit) bytes"
        }
    }
}
