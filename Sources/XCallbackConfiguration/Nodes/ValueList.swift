/// The values of a YAML document: one list in the order of its text, with their texts in one block.
///
/// It stands in the place of a tree of objects. A value within another one comes behind it, so that a mapping is followed by
/// its first key, that by its value, and so on; each value knows where the next one begins that is not within it.
struct ValueList: Sendable {
    /// What a value is.
    enum Kind: UInt8, Sendable {
        /// A single value without quotes.
        case plain
        /// A single value in quotes, a block, or tagged as text.
        case quoted
        case sequence
        case mapping
        /// Another value once more, which stands further ahead.
        case alias
    }

    /// A value.
    struct Value: Sendable {
        var kind: Kind
        /// Whether it is a key without a member: one that cannot stand there, or `<<`.
        var isLeftOut = false
        /// Where it begins, as a ``Place`` counts.
        let line: Int32
        let column: Int32
        let length: Int32
        /// Where its text begins in the block; for an alias, the index of what it repeats.
        var start: Int32 = 0
        /// How many bytes the text has, or how many items or members there are.
        var count: Int32 = 0
        /// The index of the first value that is not within it.
        var end: Int32 = 0

        /// Whether it has a text, and nothing within it.
        var isSingle: Bool { kind == .plain || kind == .quoted }
    }

    /// The file's name as messages show it.
    let file: String
    private(set) var values: [Value] = []
    private(set) var texts: [UInt8] = []

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - file: The file's name.
    ///   - byteCount: How many bytes it has.
    init(file: String, byteCount: Int) {
        self.file = file
        // A value takes about ten bytes of a file, with its indentation and what separates it from the next one.
        values.reserveCapacity(byteCount / 10 + 1)
        texts.reserveCapacity(byteCount)
    }

    /// The index of the next value that is added.
    var endIndex: Int { values.count }

    /// Adds a value without anything within it; returns its index.
    mutating func append(_ kind: Kind, from place: (line: Int, column: Int, length: Int)) -> Int {
        let index = values.count
        values.append(
            Value(
                kind: kind, line: Int32(clamping: place.line), column: Int32(clamping: place.column),
                length: Int32(clamping: place.length), start: Int32(texts.count), end: Int32(index + 1)))
        return index
    }

    /// Adds another value once more; returns the index.
    mutating func append(aliasOf target: Int) -> Int {
        let (value, index) = (values[target], values.count)
        values.append(
            Value(
                kind: .alias, line: value.line, column: value.column, length: value.length, start: Int32(target),
                end: Int32(index + 1)))
        return index
    }

    /// Gives the value that was added last its text.
    mutating func setText(_ bytes: UnsafeBufferPointer<UInt8>) {
        texts.append(contentsOf: bytes)
        values[values.count - 1].count = Int32(bytes.count)
    }

    /// Ends a sequence or a mapping with what was added last.
    mutating func end(_ index: Int, count: Int) {
        values[index].end = Int32(values.count)
        values[index].count = Int32(count)
    }

    /// Makes a member of the key no member.
    mutating func leaveOut(_ key: Int) {
        values[key].isLeftOut = true
    }

    /// Makes nothing an empty mapping.
    mutating func makeEmptyMapping(_ index: Int) {
        values[index].kind = .mapping
        values[index].count = 0
    }
}

extension ValueList {
    /// The value itself: what an alias repeats, or the value at the index.
    func resolved(_ index: Int) -> Int {
        values[index].kind == .alias ? Int(values[index].start) : index
    }

    /// The first value behind one and all within it.
    func index(after index: Int) -> Int { Int(values[index].end) }

    /// The key of the first member of a mapping from an index on; the end of the mapping if there is none.
    ///
    /// What is not a key is never left out, so that it finds items and values too.
    func key(from index: Int, before end: Int) -> Int {
        var index = index
        while index < end, values[index].isLeftOut { index = self.index(after: self.index(after: index)) }
        return index
    }

    /// The key of the member after one.
    func key(after index: Int, before end: Int) -> Int {
        key(from: self.index(after: self.index(after: index)), before: end)
    }

    /// Where a value begins.
    func place(of index: Int) -> Place {
        let value = values[index]
        return Place(file: file, line: Int(value.line), column: Int(value.column), length: Int(value.length))
    }

    /// Where the text of a single value stands in the block.
    func textRange(of index: Int) -> Range<Int> {
        let start = Int(values[index].start)
        return start..<start + Int(values[index].count)
    }

    /// The text of a single value.
    func text(of index: Int) -> String {
        String(decoding: texts[textRange(of: index)], as: UTF8.self)
    }

    /// Whether a single value has a text, byte by byte.
    func isText(_ bytes: Span<UInt8>, of index: Int) -> Bool {
        // Most differ in that.
        guard Int(values[index].count) == bytes.count else { return false }
        let own = texts.span.extracting(textRange(of: index))
        for offset in bytes.indices where own[unchecked: offset] != bytes[unchecked: offset] { return false }
        return true
    }

    /// Whether a value stands for no value: nothing, `~` or `null` without quotes, in the three spellings of YAML.
    func isNull(_ index: Int) -> Bool {
        guard values[index].kind == .plain else { return false }
        switch values[index].count {
        case 0: return true
        case 1: return texts[Int(values[index].start)] == UInt8(ascii: "~")
        case 4: return ["null", "Null", "NULL"].contains(text(of: index))
        default: return false
        }
    }

    /// What a value is, as a message says after “found”.
    func found(_ index: Int) -> String {
        switch values[index].kind {
        case .sequence: "a list"
        case .mapping: "a mapping"
        default: isNull(index) ? "nothing" : text(of: index).quoted
        }
    }
}
