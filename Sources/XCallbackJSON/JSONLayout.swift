/// Where the values of a JSON text lie in its bytes: the text is checked whole, and nothing of it is copied.
///
/// A value is named by its number: 0 is the outermost one. The first element of a list, or the first name of an object,
/// has the number after it; a member's value has the number after its name. One layout serves one text after the other
/// with the same memory.
///
/// What the grammar allows is accepted, whatever its depth. ``fault(below:in:)`` tells what cannot be a ``JSONValue``.
@usableFromInline
package struct JSONLayout: Sendable {
    /// What a value is.
    @usableFromInline
    package enum Kind: Sendable {
        case null, `false`, `true`, number, string, array, object
    }

    /// A value, or the name of a member.
    @usableFromInline
    package struct Node: Sendable {
        @usableFromInline let start: UInt32
        @usableFromInline var end: UInt32
        /// The number after the last one within the value; while it is open, the container around it.
        @usableFromInline var successor: UInt32
        /// What it is.
        @usableFromInline package let kind: Kind
        @usableFromInline var form: StringForm

        /// Where it stands; a string without its quotes.
        @inlinable package var range: Range<Int> { Int(start)..<Int(end) }
        /// The number of what follows it and all that is within it.
        @inlinable package var next: Int { Int(successor) }
        /// Whether its text stands in the bytes as it is.
        @inlinable package var isPlain: Bool { !form.hasEscapes }
        /// Whether a string holds half of a surrogate pair, so that it is no text.
        @inlinable package var isBroken: Bool { form.hasLoneSurrogate }
    }

    /// What else there is in a string but characters that stand for themselves.
    @usableFromInline
    struct StringForm: Sendable {
        @usableFromInline var hasEscapes = false
        @usableFromInline var hasLoneSurrogate = false
    }

    /// How many nodes are kept for the next text at most.
    private static let keptCount = 4096

    /// The values, in their order in the text; they are empty after a throw.
    @usableFromInline private(set) var nodes: [Node] = []
    /// Where the first list or object stands that is nested too deep.
    package private(set) var tooDeepOffset: Int?
    private(set) var maximumDepth = JSONValue.defaultDepth

    /// Creates a layout of nothing.
    package init() {}

    /// The value with a number.
    @inlinable package subscript(number: Int) -> Node { nodes[number] }

    /// Finds the values of a text.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8; blanks may stand around the value.
    ///   - maximumDepth: How deep lists and objects may be nested until ``tooDeepOffset`` tells.
    ///   - maximumCount: How many names and values it may have, about.
    /// - Throws: ``JSONError`` if it is not JSON, for the first thing that is wrong.
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
    /// The value of a member; nil if the object has none of that name.
    @inlinable
    package func value(named name: StaticString, of object: Int, in text: Span<UInt8>) -> Int? {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return value(named: name.span, of: object, in: text)
    }

    /// The value of a member; nil if the object has none of that name.
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

    /// Whether a string is a text.
    @inlinable @inline(__always)
    package func isText(_ number: Int, _ other: StaticString, in text: Span<UInt8>) -> Bool {
        let other = UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount)
        return isText(number, other.span, in: text)
    }

    /// Whether a string is a text; strings that look the same but are written with other bytes are not equal.
    @inlinable @inline(__always)
    package func isText(_ number: Int, _ other: Span<UInt8>, in text: Span<UInt8>) -> Bool {
        let node = nodes[number]
        guard node.isPlain else { return isDecodedText(number, other, in: text) }
        return areEqual(text.extracting(node.range), other)
    }

    @usableFromInline @inline(never)
    func isDecodedText(_ number: Int, _ other: Span<UInt8>, in text: Span<UInt8>) -> Bool {
        // An escape has six bytes for each byte that it stands for, at most.
        guard nodes[number].range.count <= 6 * other.count else { return false }
        let own = string(number, in: text)
        return areEqual(own.span, other)
    }

    /// The text that a string stands for; half of a surrogate pair becomes U+FFFD.
    package func text(_ number: Int, in text: Span<UInt8>) -> String {
        let node = nodes[number]
        guard node.isPlain else { return String(decoding: string(number, in: text), as: UTF8.self) }
        return String(copying: text.extracting(node.range))
    }

    /// The bytes that a string stands for; half of a surrogate pair becomes U+FFFD.
    @usableFromInline
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

extension Span<UInt8> {
    /// Whether the bytes begin with others.
    @inlinable
    package func starts(with other: Span<UInt8>) -> Bool {
        count >= other.count && areEqual(extracting(0..<other.count), other)
    }

    /// Whether the bytes are a text.
    @inlinable
    package func isText(_ text: StaticString) -> Bool {
        let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return areEqual(self, text.span)
    }
}

/// Whether two runs of bytes are the same.
@inlinable @inline(__always)
func areEqual(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
    let count = first.count
    guard count == second.count else { return false }
    let first = first.bytes
    let second = second.bytes
    var offset = 0
    if count >= 8 {
        // First the last word, which overlaps the one before it: many names begin alike.
        guard areEqualWords(first, second, at: count &- 8) else { return false }
        while offset &+ 8 < count {
            guard areEqualWords(first, second, at: offset) else { return false }
            offset &+= 8
        }
        return true
    }
    while offset < count {
        let byte = first.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
        guard byte == second.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self) else { return false }
        offset &+= 1
    }
    return true
}

/// Whether two runs of bytes have the same eight bytes at a place; both have as many there.
@inlinable @inline(__always)
func areEqualWords(_ first: RawSpan, _ second: RawSpan, at offset: Int) -> Bool {
    first.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
        == second.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
}

extension String {
    /// Copies bytes that are known to be UTF-8.
    package init(copying bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
