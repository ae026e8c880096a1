/// The positions of the values of a JSON text: the complete text is validated, and none of it is copied.
///
/// A value is identified by its number: 0 is the outermost value. The first element of a list, or the first name of an
/// object, has the next number; a member's value has the number after its name. A layout can be reused for many texts
/// with the same memory.
///
/// Any nesting depth is accepted. ``fault(below:in:)`` reports parts that cannot be a ``JSONValue``.
@usableFromInline
package struct JSONLayout: Sendable {
    /// The kind of a value.
    @usableFromInline
    package enum Kind: Sendable {
        case null, `false`, `true`, number, string, array, object
    }

    /// A value, or the name of a member.
    @usableFromInline
    package struct Node: Sendable {
        @usableFromInline let start: UInt32
        @usableFromInline var end: UInt32
        /// The number after the last nested value; while the value is open, its container.
        @usableFromInline var successor: UInt32
        /// The kind.
        @usableFromInline package let kind: Kind
        @usableFromInline var form: StringForm

        /// The range; for a string, without its quotes.
        @inlinable package var range: Range<Int> { Int(start)..<Int(end) }
        /// The number after the value and all nested values.
        @inlinable package var next: Int { Int(successor) }
        /// Whether the text needs no decoding.
        @inlinable package var isPlain: Bool { !form.hasEscapes }
        /// Whether a string contains a surrogate without a partner, so that it is not text.
        @inlinable package var isBroken: Bool { form.hasLoneSurrogate }
    }

    /// The kinds of content in a string that do not represent themselves.
    @usableFromInline
    struct StringForm: Sendable {
        @usableFromInline var hasEscapes = false
        @usableFromInline var hasLoneSurrogate = false
    }

    /// The maximum number of nodes that are kept for the next text.
    private static let keptCount = 4096

    /// The values, in the order of the text; empty after an error.
    @usableFromInline private(set) var nodes: [Node] = []
    /// The position of the first list or object that is nested too deeply.
    package private(set) var tooDeepOffset: Int?
    private(set) var maximumDepth = JSONValue.defaultDepth

    /// Creates an empty layout.
    package init() {}

    /// The value with a number.
    @inlinable package subscript(number: Int) -> Node { nodes[number] }

    /// Finds the values of a text.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8; blanks around the value are allowed.
    ///   - maximumDepth: The maximum nesting depth, above which ``tooDeepOffset`` is set.
    ///   - maximumCount: The approximate maximum number of names and values.
    /// - Throws: ``JSONError`` for the first fault, if the text is not JSON.
    package mutating func read(
        _ text: Span<UInt8>, maximumDepth: Int = JSONValue.defaultDepth, maximumCount: Int = .max
    ) throws(JSONError) {
        guard text.count < UInt32.max else {
            throw JSONError(reason: .tooLong(limit: Int(UInt32.max) - 1), offset: Int(UInt32.max) - 1)
        }
        tooDeepOffset = nil
        self.maximumDepth = maximumDepth
        if nodes.capacity > Self.keptCount { nodes = [] }
        var scanner = JSONScanner(maximumDepth: maximumDepth, maximumCount: maximumCount)
        swap(&scanner.nodes, &nodes)
        scanner.nodes.removeAll(keepingCapacity: true)
        try scanner.scan(text)
        swap(&scanner.nodes, &nodes)
        tooDeepOffset = scanner.tooDeepOffset
    }
}

// MARK: - Looking things up

extension JSONLayout {
    /// Returns the value of a member; nil if the object has no member with the name.
    @inlinable
    package func value(named name: StaticString, of object: Int, in text: Span<UInt8>) -> Int? {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return value(named: name.span, of: object, in: text)
    }

    /// Returns the value of a member; nil if the object has no member with the name.
    @inlinable @inline(__always)
    package func value(named name: Span<UInt8>, of object: Int, in text: Span<UInt8>) -> Int? {
        var member = object + 1
        let end = nodes[object].next
        while member < end {
            if isText(member, name, in: text) { return member + 1 }
            member = nodes[member + 1].next
        }
        return nil
    }

    /// Whether a string equals a text.
    @inlinable @inline(__always)
    package func isText(_ number: Int, _ other: StaticString, in text: Span<UInt8>) -> Bool {
        let other = UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount)
        return isText(number, other.span, in: text)
    }

    /// Whether a string equals a text; canonically equivalent texts with different bytes are not equal.
    @inlinable @inline(__always)
    package func isText(_ number: Int, _ other: Span<UInt8>, in text: Span<UInt8>) -> Bool {
        let node = nodes[number]
        guard node.isPlain else { return isDecodedText(number, other, in: text) }
        return areEqual(text.extracting(node.range), other)
    }

    @usableFromInline @inline(never)
    func isDecodedText(_ number: Int, _ other: Span<UInt8>, in text: Span<UInt8>) -> Bool {
        // An escape has at most six bytes for each byte of its character.
        guard nodes[number].range.count <= 6 * other.count else { return false }
        let own = string(number, in: text)
        return areEqual(own.span, other)
    }

    /// Returns the decoded string; a surrogate without a partner becomes U+FFFD.
    package func text(_ number: Int, in text: Span<UInt8>) -> String {
        let node = nodes[number]
        guard node.isPlain else { return String(decoding: string(number, in: text), as: UTF8.self) }
        return String(copying: text.extracting(node.range))
    }

    /// Returns the bytes of the decoded string; a surrogate without a partner becomes U+FFFD.
    @usableFromInline
    package func string(_ number: Int, in text: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        appendString(number, in: text, to: &bytes)
        return bytes
    }

    /// Appends the bytes of the decoded string; a surrogate without a partner becomes U+FFFD.
    package func appendString(_ number: Int, in text: Span<UInt8>, to bytes: inout [UInt8]) {
        let node = nodes[number]
        let text = text.extracting(node.range)
        if node.isPlain { bytes.append(text) } else { _ = unescape(text, into: &bytes) }
    }
}

extension Span<UInt8> {
    /// Whether the bytes start with others.
    @inlinable
    package func starts(with other: Span<UInt8>) -> Bool {
        count >= other.count && areEqual(extracting(0..<other.count), other)
    }

    /// Whether the bytes equal a text.
    @inlinable
    package func isText(_ text: StaticString) -> Bool {
        let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return areEqual(self, text.span)
    }
}

/// Whether two byte sequences are equal.
@inlinable
func areEqual(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
    guard first.count == second.count else { return false }
    for index in first.indices where first[index] != second[index] { return false }
    return true
}

extension String {
    /// Copies bytes that are known to be UTF-8.
    package init(copying bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
