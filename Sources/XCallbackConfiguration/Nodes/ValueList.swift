/// The values of a YAML document as one list in the order of the text, with their texts in one block.
///
/// It replaces a tree of objects. Nested values follow their parent: a mapping is followed by its first key, then the
/// key's value, and so on; each value has the index of the next value outside of it.
struct ValueList: Sendable {
    /// The kind of a value.
    enum Kind: UInt8, Sendable {
        /// A scalar without quotes.
        case plain
        /// A scalar in quotes, a block, or tagged as a string.
        case quoted
        case sequence
        case mapping
        /// A repetition of an earlier value.
        case alias
    }

    /// A value.
    struct Value: Sendable {
        var kind: Kind
        /// Whether it is a key without a member: an invalid key, or `<<`.
        var isLeftOut = false
        /// The start, counted like a ``Place``.
        let line: Int32
        let column: Int32
        let length: Int32
        /// The start of its text in the block; for an alias, the index of its target.
        var start: Int32 = 0
        /// The number of bytes of the text, or the number of items or members.
        var count: Int32 = 0
        /// The index of the first value outside of it.
        var end: Int32 = 0

        /// Whether it has a text and no nested values.
        var isSingle: Bool { kind == .plain || kind == .quoted }
    }

    /// The name of the file in messages.
    let file: String
    private(set) var values: [Value] = []
    private(set) var texts: [UInt8] = []

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - file: The file's name.
    ///   - byteCount: The size of the file, in bytes.
    init(file: String, byteCount: Int) {
        self.file = file
        // A value takes about ten bytes of a file, including indentation and separators.
        values.reserveCapacity(byteCount / 10 + 1)
        texts.reserveCapacity(byteCount)
    }

    /// The index of the next value that is added.
    var endIndex: Int { values.count }

    /// Adds a value without nested values; returns its index.
    mutating func append(_ kind: Kind, from place: (line: Int, column: Int, length: Int)) -> Int {
        let index = values.count
        values.append(
            Value(
                kind: kind, line: Int32(clamping: place.line), column: Int32(clamping: place.column),
                length: Int32(clamping: place.length), start: Int32(texts.count), end: Int32(index + 1)))
        return index
    }

    /// Adds an alias of a value; returns its index.
    mutating func append(aliasOf target: Int) -> Int {
        let (value, index) = (values[target], values.count)
        values.append(
            Value(
                kind: .alias, line: value.line, column: value.column, length: value.length, start: Int32(target),
                end: Int32(index + 1)))
        return index
    }

    /// Sets the text of the last value.
    mutating func setText(_ bytes: UnsafeBufferPointer<UInt8>) {
        texts.append(contentsOf: bytes)
        values[values.count - 1].count = Int32(bytes.count)
    }

    /// Ends a sequence or a mapping after the last value.
    mutating func end(_ index: Int, count: Int) {
        values[index].end = Int32(values.count)
        values[index].count = Int32(count)
    }

    /// Marks a key as not being a member.
    mutating func leaveOut(_ key: Int) {
        values[key].isLeftOut = true
    }

    /// Turns an empty value into an empty mapping.
    mutating func makeEmptyMapping(_ index: Int) {
        values[index].kind = .mapping
        values[index].count = 0
    }
}

extension ValueList {
    /// Returns the target of an alias, or the value itself.
    func resolved(_ index: Int) -> Int {
        values[index].kind == .alias ? Int(values[index].start) : index
    }

    /// Returns the index of the first value after a value and its contents.
    func index(after index: Int) -> Int { Int(values[index].end) }

    /// Returns the key of the first member of a mapping at or after an index; the end of the mapping if there is none.
    ///
    /// Other values are never left out, so this also finds items and values.
    func key(from index: Int, before end: Int) -> Int {
        var index = index
        while index < end, values[index].isLeftOut { index = self.index(after: self.index(after: index)) }
        return index
    }

    /// Returns the key of the next member.
    func key(after index: Int, before end: Int) -> Int {
        key(from: self.index(after: self.index(after: index)), before: end)
    }

    /// Returns the start of a value.
    func place(of index: Int) -> Place {
        let value = values[index]
        return Place(file: file, line: Int(value.line), column: Int(value.column), length: Int(value.length))
    }

    /// Returns the range of a scalar's text in the block.
    func textRange(of index: Int) -> Range<Int> {
        let start = Int(values[index].start)
        return start..<start + Int(values[index].count)
    }

    /// Returns the text of a scalar.
    func text(of index: Int) -> String {
        String(decoding: texts[textRange(of: index)], as: UTF8.self)
    }

    /// Whether a scalar has a text, byte by byte.
    func isText(_ bytes: Span<UInt8>, of index: Int) -> Bool {
        // Most texts differ in length.
        guard Int(values[index].count) == bytes.count else { return false }
        let own = texts.span.extracting(textRange(of: index))
        for offset in bytes.indices where own[offset] != bytes[offset] { return false }
        return true
    }

    /// Whether a value is null: empty, `~` or `null` without quotes, in the three spellings of YAML.
    func isNull(_ index: Int) -> Bool {
        guard values[index].kind == .plain else { return false }
        switch values[index].count {
        case 0: return true
        case 1: return texts[Int(values[index].start)] == UInt8(ascii: "~")
        case 4: return ["null", "Null", "NULL"].contains(text(of: index))
        default: return false
        }
    }

    /// Returns the description of a value, which follows “found” in a message.
    func found(_ index: Int) -> String {
        switch values[index].kind {
        case .sequence: "a list"
        case .mapping: "a mapping"
        default: isNull(index) ? "nothing" : text(of: index).quoted
        }
    }
}
