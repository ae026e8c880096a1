/// A JSON text with the positions of its values, in memory that the next text reuses.
///
/// A value is identified by its number: 0 is the outermost value. The first element of a list, or the first name of an
/// object, has the next number; a member's value has the number after its name.
package struct JSONDocument: Sendable {
    /// The kind of a value.
    package enum Kind: Sendable {
        case null, `false`, `true`, number, string, array, object
    }

    /// A value, or the name of a member.
    package struct Node: Sendable {
        fileprivate let start: UInt32
        fileprivate var end: UInt32
        fileprivate var successor: UInt32
        package let kind: Kind
        /// Whether a string contained a surrogate without a partner, which became U+FFFD.
        package let isBroken: Bool

        /// The range in the bytes; for a string, that of its decoded form without quotes.
        package var range: Range<Int> { Int(start)..<Int(end) }
        /// The number after the value and all nested values.
        package var next: Int { Int(successor) }
    }

    /// The maximum numbers of bytes and nodes for which memory is kept.
    private static let (keptSize, keptCount) = (1 << 16, 4096)

    /// A copy of the text, in which strings are decoded in place.
    package private(set) var bytes: [UInt8] = []
    private var nodes: [Node] = []

    /// Creates an empty document, which has no values.
    package init() {}

    /// The value with a number.
    package subscript(number: Int) -> Node { nodes[number] }

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8; blanks around the value are allowed.
    ///   - maximumDepth: The maximum nesting depth of lists and objects.
    ///   - maximumCount: The approximate maximum number of names and values.
    /// - Throws: ``JSONError`` for the first fault, if the text is not JSON; the document is unusable then.
    package mutating func read(
        _ text: Span<UInt8>, maximumDepth: Int = JSONValue.defaultDepth, maximumCount: Int = .max
    ) throws(JSONError) {
        guard text.count < UInt32.max else {
            throw JSONError(reason: .tooLong(limit: Int(UInt32.max) - 1), offset: Int(UInt32.max) - 1)
        }
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: text)
        } catch {
            throw JSONError(reason: .notUTF8, offset: error.byteOffsets.lowerBound)
        }
        var reader = JSONReader(maximumDepth: maximumDepth, maximumCount: maximumCount)
        // Its memory is not shared while it changes.
        swap(&reader.bytes, &bytes)
        swap(&reader.nodes, &nodes)
        reader.nodes.removeAll(keepingCapacity: reader.nodes.capacity <= Self.keptCount)
        reader.bytes.removeAll(keepingCapacity: reader.bytes.capacity <= Self.keptSize)
        reader.bytes.append(text)
        try reader.read()
        swap(&reader.bytes, &bytes)
        swap(&reader.nodes, &nodes)
    }
}

/// Reads a text from its beginning to its end.
private struct JSONReader {
    let maximumDepth: Int
    let maximumCount: Int
    var bytes: [UInt8] = []
    var nodes: [JSONDocument.Node] = []
    var position = 0

    mutating func read() throws(JSONError) {
        try readValue(depth: 0)
        skipBlanks()
        if position < bytes.count { throw fault(.trailingText) }
    }

    private mutating func readValue(depth: Int) throws(JSONError) {
        switch try nextByte() {
        case UInt8(ascii: "\""): try readString()
        case UInt8(ascii: "{"): try readObject(depth: depth + 1)
        case UInt8(ascii: "["): try readArray(depth: depth + 1)
        case UInt8(ascii: "t"): try read("true", .true)
        case UInt8(ascii: "f"): try read("false", .false)
        case UInt8(ascii: "n"): try read("null", .null)
        default: try readNumber()
        }
    }

    private mutating func readArray(depth: Int) throws(JSONError) {
        let number = try open(.array, depth: depth)
        if try nextByte() != UInt8(ascii: "]") {
            repeat {
                try readValue(depth: depth)
            } while try skipsComma(before: UInt8(ascii: "]"), or: "',' or ']'")
        }
        close(number)
    }

    private mutating func readObject(depth: Int) throws(JSONError) {
        let number = try open(.object, depth: depth)
        if try nextByte() != UInt8(ascii: "}") {
            repeat {
                try readName()
                try readValue(depth: depth)
            } while try skipsComma(before: UInt8(ascii: "}"), or: "',' or '}'")
        }
        close(number)
    }

    private mutating func open(_ kind: JSONDocument.Kind, depth: Int) throws(JSONError) -> Int {
        if depth > maximumDepth { throw fault(.tooDeep(limit: maximumDepth)) }
        try checkCount()
        append(kind, position..<position)
        position += 1
        return nodes.count - 1
    }

    private mutating func close(_ number: Int) {
        position += 1
        nodes[number].end = UInt32(truncatingIfNeeded: position)
        nodes[number].successor = UInt32(truncatingIfNeeded: nodes.count)
    }

    /// Skips a comma; returns false at the end of the list or object.
    private mutating func skipsComma(before end: UInt8, or expected: String) throws(JSONError) -> Bool {
        let byte = try nextByte()
        if byte == end { return false }
        guard byte == UInt8(ascii: ",") else { throw fault(.expected(expected)) }
        try checkCount()
        position += 1
        return true
    }

    /// Checks that there is room for more values.
    private func checkCount() throws(JSONError) {
        if nodes.count >= maximumCount { throw fault(.tooMany(limit: maximumCount)) }
    }

    /// Reads the name of a member and the following colon.
    private mutating func readName() throws(JSONError) {
        guard try nextByte() == UInt8(ascii: "\"") else { throw fault(.expected("a name in quotes")) }
        try readString()
        guard try nextByte() == UInt8(ascii: ":") else { throw fault(.expected("':'")) }
        position += 1
    }

    /// Reads a string, and replaces its escapes by the characters, which are shorter.
    private mutating func readString() throws(JSONError) {
        let start = position + 1
        var end = start
        var isBroken = false
        position = start
        while true {
            let next = endOfPlain(in: bytes.span, from: position)
            if end < position { for index in position..<next { bytes[end + index - position] = bytes[index] } }
            end += next - position
            position = next
            guard position < bytes.count else { throw fault(.unexpectedEnd) }
            if bytes[position] == UInt8(ascii: "\"") { break }
            guard bytes[position] == UInt8(ascii: "\\") else { throw fault(.controlCharacter) }
            let escape = try JSONEscape(of: bytes.span, at: position)
            position += escape.length
            for byte in UTF8.encode(escape.scalar ?? "\u{FFFD}") ?? .encodedReplacementCharacter {
                bytes[end] = byte
                end += 1
            }
            if escape.scalar == nil { isBroken = true }
        }
        append(.string, start..<end, isBroken: isBroken)
        position += 1
    }

    private mutating func readNumber() throws(JSONError) {
        guard let length = lengthOfNumber(in: bytes.span, from: position) else { throw fault(.badNumber) }
        guard length > 0 else { throw fault(.notAValue) }
        append(.number, position..<position + length)
        position += length
    }

    private mutating func read(_ word: StaticString, _ kind: JSONDocument.Kind) throws(JSONError) {
        let end = position + word.utf8CodeUnitCount
        for index in position..<end {
            guard index < bytes.count else { throw JSONError(reason: .unexpectedEnd, offset: bytes.count) }
            guard bytes[index] == word.utf8Start[index - position] else { throw fault(.notAValue) }
        }
        append(kind, position..<end)
        position = end
    }

    private mutating func append(_ kind: JSONDocument.Kind, _ range: Range<Int>, isBroken: Bool = false) {
        nodes.append(
            JSONDocument.Node(
                start: UInt32(truncatingIfNeeded: range.lowerBound), end: UInt32(truncatingIfNeeded: range.upperBound),
                successor: UInt32(truncatingIfNeeded: nodes.count + 1), kind: kind, isBroken: isBroken))
    }

    /// Skips blanks; returns the byte after them.
    private mutating func nextByte() throws(JSONError) -> UInt8 {
        skipBlanks()
        guard position < bytes.count else { throw fault(.unexpectedEnd) }
        return bytes[position]
    }

    private mutating func skipBlanks() {
        while position < bytes.count, isBlank(bytes[position]) { position += 1 }
    }

    private func fault(_ reason: JSONError.Reason) -> JSONError { JSONError(reason: reason, offset: position) }
}

/// Whether a byte is white space between values.
package func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
}

// MARK: - Values

extension JSONDocument {
    /// Returns the value of an object's first member with a name; nil if there is none, or if the value is null.
    func value(named name: StaticString, of object: Int) -> Int? {
        var member = object + 1
        while member < nodes[object].next {
            if isText(member, name) { return nodes[member + 1].kind == .null ? nil : member + 1 }
            member = nodes[member + 1].next
        }
        return nil
    }

    /// A name in an object that is not one of the known ones, or that is repeated.
    struct UnknownName: Error {
        let number: Int
    }

    /// Finds the values of an object's members.
    ///
    /// - Parameters:
    ///   - names: The known names, at most 16.
    ///   - object: The object.
    ///   - allowsExtensions: Whether other names can have a dot.
    /// - Returns: For each name the number of its value; 0 if it is missing or null.
    /// - Throws: ``UnknownName`` for the first one; other members that are null do not count.
    func values(
        named names: [StaticString], of object: Int, allowsExtensions: Bool = false
    ) throws(UnknownName) -> InlineArray<16, Int> {
        var values = InlineArray<16, Int>(repeating: 0)
        var seen: UInt16 = 0
        var member = object + 1
        while member < nodes[object].next {
            let isNull = nodes[member + 1].kind == .null
            if let index = index(of: member, in: names) {
                if seen & 1 << index != 0 { throw UnknownName(number: member) }
                seen |= 1 << index
                if !isNull { values[index] = member + 1 }
            } else if !isNull {
                let isExtension = bytes[nodes[member].range].contains(UInt8(ascii: "."))
                if !allowsExtensions || !isExtension { throw UnknownName(number: member) }
            }
            member = nodes[member + 1].next
        }
        return values
    }

    private func index(of name: Int, in names: [StaticString]) -> Int? {
        for index in names.indices where isText(name, names[index]) { return index }
        return nil
    }

    /// Whether a string equals a text; canonically equivalent texts with different bytes are not equal.
    func isText(_ number: Int, _ other: StaticString) -> Bool {
        let range = nodes[number].range
        // Most names differ in their length.
        return range.count == other.utf8CodeUnitCount && areEqual(bytes.span.extracting(range), other)
    }

    /// Returns the text of a string or a number.
    func text(_ number: Int) -> String { text(nodes[number].range) }

    /// Returns the text of a range.
    func text(_ range: Range<Int>) -> String { String(utf8: bytes.span.extracting(range)) }

    /// Returns the value or the name that a ``JSONValue`` cannot contain, if there is one below a value: a text with a
    /// surrogate without a partner, or a name that the object already has.
    func unusable(below number: Int) -> (number: Int, reason: JSONError.Reason)? {
        for number in number..<nodes[number].next {
            if nodes[number].isBroken { return (number, .loneSurrogate) }
            if nodes[number].kind == .object, let name = repeatedName(in: number) { return (name, .repeatedName) }
        }
        return nil
    }

    /// Returns the first repeated name of an object.
    private func repeatedName(in object: Int) -> Int? {
        let names = sequence(first: object + 1) { nodes[$0 + 1].next }.prefix { $0 < nodes[object].next }
        // By bytes: canonically equivalent strings are equal although their texts differ.
        // A set costs more than to compare a few names with each other.
        if names.count <= 16 {
            return names.first { name in
                names.contains { $0 < name && bytes[nodes[$0].range] == bytes[nodes[name].range] }
            }
        }
        var known: Set<[UInt8]> = []
        return names.first { !known.insert(Array(bytes[nodes[$0].range])).inserted }
    }

    /// Returns a value with all nested values; ``unusable(below:)`` must be nil.
    func value(_ number: Int) -> JSONValue {
        switch nodes[number].kind {
        case .null: .null
        case .false: .bool(false)
        case .true: .bool(true)
        case .number: .number(JSONNumber(checked: text(number)))
        case .string: .string(text(number))
        case .array: .array(elements(of: number).map { value($0) })
        case .object: .object(members(of: number))
        }
    }

    /// Returns the numbers of the elements of a list.
    func elements(of list: Int) -> [Int] {
        var elements: [Int] = []
        var element = list + 1
        while element < nodes[list].next {
            elements.append(element)
            element = nodes[element].next
        }
        return elements
    }

    private func members(of object: Int) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        var member = object + 1
        while member < nodes[object].next {
            members.append(JSONValue.Member(text(member), value(member + 1)))
            member = nodes[member + 1].next
        }
        return members
    }

    /// Returns the path from a value to a nested value or name, such as `items.0.name`.
    func path(to target: Int, from root: Int) -> String {
        var parts: [String] = []
        var current = root
        while current < target {
            if nodes[current].kind == .object {
                var name = current + 1
                while nodes[name + 1].next <= target { name = nodes[name + 1].next }
                parts.append(text(name))
                current = name + 1
            } else {
                var (index, element) = (0, current + 1)
                while nodes[element].next <= target { (index, element) = (index + 1, nodes[element].next) }
                parts.append("\(index)")
                current = element
            }
        }
        return parts.joined(separator: ".")
    }
}

extension JSONValue {
    /// The default maximum nesting depth of lists and objects.
    package static let defaultDepth = 64

    /// Parses a JSON text.
    ///
    /// A byte order mark is rejected, as are repeated names in an object and surrogates without a partner.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8; blanks around the value are allowed.
    ///   - maximumSize: The maximum number of bytes.
    ///   - maximumDepth: The maximum nesting depth of lists and objects.
    /// - Throws: ``JSONError`` for the fault.
    package init(
        parsing text: Span<UInt8>, maximumSize: Int, maximumDepth: Int = defaultDepth
    ) throws(JSONError) {
        guard text.count <= maximumSize else {
            throw JSONError(reason: .tooLong(limit: maximumSize), offset: maximumSize)
        }
        self = try JSONDocument(checking: text, maximumDepth: maximumDepth).value(0)
    }
}

extension JSONDocument {
    /// Reads a text whose strings and names can all be used.
    ///
    /// - Throws: ``JSONError`` for the first fault.
    package init(checking text: Span<UInt8>, maximumDepth: Int = JSONValue.defaultDepth) throws(JSONError) {
        try read(text, maximumDepth: maximumDepth)
        if let (number, reason) = unusable(below: 0) {
            // A quote is before the text.
            throw JSONError(reason: reason, offset: self[number].range.lowerBound - 1)
        }
    }
}

/// Returns the position of the first quote, backslash or control character, or the end of the text.
func endOfPlain(in text: Span<UInt8>, from start: Int) -> Int {
    var end = start
    while end < text.count, isPlain(text[end]) { end += 1 }
    return end
}

/// Whether a byte needs no escape in a string.
func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}

/// An escape in a string: `\n`, `\u00e9`, or a surrogate pair.
struct JSONEscape {
    /// The character; nil for a surrogate without a partner.
    let scalar: Unicode.Scalar?
    /// The number of bytes of the escape.
    let length: Int

    /// Parses an escape that starts with `\`.
    init(of text: Span<UInt8>, at position: Int) throws(JSONError) {
        guard position + 1 < text.count else { throw JSONError(reason: .unexpectedEnd, offset: text.count) }
        if let byte = escapedByte(text[position + 1]) {
            scalar = Unicode.Scalar(byte)
            length = 2
            return
        }
        let first = try codeUnit(of: text, at: position)
        if UTF16.isLeadSurrogate(first), let second = Self.trailSurrogate(of: text, at: position + 6) {
            scalar = Unicode.Scalar(0x1_0000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF)
            length = 12
        } else {
            scalar = Unicode.Scalar(UInt32(first))
            length = 6
        }
    }

    private static func trailSurrogate(of text: Span<UInt8>, at position: Int) -> UInt16? {
        guard position < text.count, text[position] == UInt8(ascii: "\\") else { return nil }
        // Other text after it is reported later, at its own position.
        guard let unit = try? codeUnit(of: text, at: position) else { return nil }
        return UTF16.isTrailSurrogate(unit) ? unit : nil
    }
}

/// Parses `\uXXXX`.
private func codeUnit(of text: Span<UInt8>, at position: Int) throws(JSONError) -> UInt16 {
    guard position + 1 < text.count, text[position + 1] == UInt8(ascii: "u") else {
        throw JSONError(reason: .badEscape, offset: position)
    }
    var unit: UInt16 = 0
    for index in position + 2..<position + 6 {
        guard index < text.count else { throw JSONError(reason: .unexpectedEnd, offset: text.count) }
        guard let digit = hexadecimalValue(text[index]) else { throw JSONError(reason: .badEscape, offset: position) }
        unit = unit << 4 | UInt16(digit)
    }
    return unit
}

/// Returns the character for a letter after `\`; nil for `u` and for invalid escapes.
private func escapedByte(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
}
