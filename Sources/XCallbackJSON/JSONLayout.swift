/// Where the values of a JSON text lie in its bytes: the text is checked whole, and nothing of it is copied.
///
/// A value is named by its number: 0 is the outermost one. The first element of a list, or the first name of an object,
/// has the number after it; a member's value has the number after its name. One layout serves one text after the other
/// with the same memory.
///
/// What the grammar allows is accepted, whatever its depth. ``fault(below:in:)`` tells what cannot be a ``JSONValue``.
package struct JSONLayout: Sendable {
    /// What a value is.
    package enum Kind: UInt8, Sendable {
        case null, `false`, `true`, number, string, array, object
    }

    /// A value, or the name of a member.
    package struct Node: Sendable {
        let start: UInt32
        var end: UInt32
        /// The number after the last one within the value; while it is open, the container around it.
        var successor: UInt32
        /// What it is.
        package let kind: Kind
        var form: StringForm

        /// Where it stands; a string without its quotes.
        package var range: Range<Int> { Int(start)..<Int(end) }
        /// The number of what follows it and all that is within it.
        package var next: Int { Int(successor) }
        /// Whether its text stands in the bytes as it is.
        package var isPlain: Bool { form.isEmpty }
        /// Whether a string holds half of a surrogate pair, so that it is no text.
        package var isBroken: Bool { form.contains(.loneSurrogate) }
    }

    /// What else there is in a string but characters that stand for themselves.
    struct StringForm: OptionSet, Sendable {
        let rawValue: UInt8
        static let escapes = Self(rawValue: 1)
        static let loneSurrogate = Self(rawValue: 2)
    }

    /// How many nodes are kept for the next text at most.
    private static let keptCount = 4096

    /// The values, in their order in the text; they are empty after a throw.
    private(set) var nodes: [Node] = []
    /// Where the first list or object stands that is nested too deep.
    package private(set) var tooDeepOffset: Int?
    private(set) var maximumDepth = JSONValue.defaultDepth

    /// Creates a layout of nothing.
    package init() {}

    /// The value with a number.
    package subscript(number: Int) -> Node { nodes[number] }

    /// Finds the values of a text.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8; blanks may stand around the value.
    ///   - maximumDepth: How deep lists and objects may be nested until ``tooDeepOffset`` tells.
    /// - Throws: ``JSONError`` if it is not JSON, for the first thing that is wrong.
    package mutating func read(
        _ text: Span<UInt8>, maximumDepth: Int = JSONValue.defaultDepth
    ) throws(JSONError) {
        guard text.count < UInt32.max else {
            throw JSONError(reason: .tooLong(limit: Int(UInt32.max) - 1), offset: Int(UInt32.max) - 1)
        }
        tooDeepOffset = nil
        self.maximumDepth = maximumDepth
        var scanner = JSONScanner(nodes: nodes, keptCount: Self.keptCount, maximumDepth: maximumDepth)
        nodes = []
        try scanner.scan(text)
        nodes = scanner.nodes
        tooDeepOffset = scanner.tooDeepOffset
    }
}

// MARK: - Looking things up

extension JSONLayout {
    /// The value of a member; nil if the object has none of that name.
    package func value(named name: StaticString, of object: Int, in text: Span<UInt8>) -> Int? {
        var member = object + 1
        let end = nodes[object].next
        while member < end {
            if isText(member, name, in: text) { return member + 1 }
            member = nodes[member + 1].next
        }
        return nil
    }

    /// Whether a string is a text.
    package func isText(_ number: Int, _ other: StaticString, in text: Span<UInt8>) -> Bool {
        let other = UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount)
        return isText(number, other.span, in: text)
    }

    /// Whether a string is a text; strings that look the same but are written with other bytes are not equal.
    package func isText(_ number: Int, _ other: Span<UInt8>, in text: Span<UInt8>) -> Bool {
        let node = nodes[number]
        guard node.isPlain else {
            let own = string(number, in: text)
            return areEqual(own.span, other)
        }
        return areEqual(text.extracting(node.range), other)
    }

    /// The bytes that a string stands for; half of a surrogate pair becomes U+FFFD.
    package func string(_ number: Int, in text: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        appendString(number, in: text, to: &bytes)
        return bytes
    }

    /// Appends the bytes that a string stands for; half of a surrogate pair becomes U+FFFD.
    package func appendString(_ number: Int, in text: Span<UInt8>, to bytes: inout [UInt8]) {
        let node = nodes[number]
        let text = text.extracting(node.range)
        if node.isPlain { bytes.append(text) } else { _ = unescape(text, into: &bytes) }
    }
}

/// Whether two runs of bytes are the same.
func areEqual(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
    guard first.count == second.count else { return false }
    for index in first.indices where first[unchecked: index] != second[unchecked: index] { return false }
    return true
}
