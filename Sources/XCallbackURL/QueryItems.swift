/// Names and values in order, as the query of a URL carries them.
///
/// Names may repeat. A value may be missing (`k`), which is not the same as empty (`k=`). All texts lie in one buffer,
/// so that a request costs no string for an item that nobody reads.
public struct QueryItems: Sendable {
    /// One name with its value.
    public struct Item: Hashable, Sendable {
        /// The decoded name.
        public let name: String
        /// The decoded value; nil if the item has none.
        public let value: String?

        /// Creates an item.
        public init(name: String, value: String?) {
            self.name = name
            self.value = value
        }
    }

    /// Where the texts of an item lie in the buffer.
    package struct Entry: Sendable {
        /// The decoded name.
        package var name: Range<Int>
        /// The decoded value; empty if there is none.
        package var value: Range<Int>
        /// The name as it was received, still encoded; the same as `name` where nothing was encoded.
        package var encodedName: Range<Int>
        /// The value as it was received, still encoded; the same as `value` where nothing was encoded.
        package var encodedValue: Range<Int>
        /// Whether there is a value, even an empty one.
        package var hasValue: Bool
        /// Whether the item comes from the path, not from the query.
        package var isCapture = false

        /// Creates an entry whose texts were not encoded.
        init(name: Range<Int>, value: Range<Int>?) {
            self.init(
                name: name, value: value ?? 0..<0, encodedName: name, encodedValue: value ?? 0..<0,
                hasValue: value != nil)
        }

        init(
            name: Range<Int>, value: Range<Int>, encodedName: Range<Int>, encodedValue: Range<Int>, hasValue: Bool
        ) {
            self.name = name
            self.value = value
            self.encodedName = encodedName
            self.encodedValue = encodedValue
            self.hasValue = hasValue
        }
    }

    /// The buffer that holds the texts; what no entry names has no meaning.
    package private(set) var bytes: [UInt8]
    /// The items, in order.
    package private(set) var entries: [Entry]

    /// Creates a list without items.
    public init() {
        bytes = []
        entries = []
    }

    /// Creates a view of items whose texts lie in a buffer.
    package init(bytes: [UInt8], entries: [Entry]) {
        self.bytes = bytes
        self.entries = entries
    }

    /// Removes all items and keeps the memory for the next ones.
    package mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
    }

    /// Appends an item.
    public mutating func append(_ name: String, _ value: String?) {
        let name = appendText(name)
        let value = value.map { appendText($0) }
        entries.append(Entry(name: name, value: value))
    }

    /// Appends an item whose texts are decoded bytes.
    package mutating func append(name: Span<UInt8>, value: Span<UInt8>, isCapture: Bool = false) {
        let name = appendBytes(name)
        var entry = Entry(name: name, value: appendBytes(value))
        entry.isCapture = isCapture
        entries.append(entry)
    }

    /// Appends an item of another list, with its encoded value.
    package mutating func append(_ entry: Entry, of other: Span<UInt8>) {
        var copy = Entry(name: appendBytes(other.extracting(entry.name)), value: nil)
        copy.isCapture = entry.isCapture
        guard entry.hasValue else { return entries.append(copy) }
        copy.hasValue = true
        copy.value = appendBytes(other.extracting(entry.value))
        copy.encodedValue = copy.value
        if entry.value != entry.encodedValue { copy.encodedValue = appendBytes(other.extracting(entry.encodedValue)) }
        entries.append(copy)
    }

    /// Removes every item that has a name.
    public mutating func removeAll(named name: String) {
        entries.removeAll { bytes.has(name, at: $0.name) }
    }

    /// The position of the first item with a name, or nil.
    package func firstIndex(named name: borrowing [UInt8]) -> Int? {
        let bytes = bytes.span
        let name = name.span
        for index in entries.indices where areEqual(bytes.extracting(entries[index].name), name) { return index }
        return nil
    }

    /// Whether some item has a name.
    public func contains(name: String) -> Bool {
        entries.contains { bytes.has(name, at: $0.name) }
    }

    /// The value of the first item with a name; nil if there is no such item or it has no value.
    public subscript(name: String) -> String? {
        guard let entry = entries.first(where: { bytes.has(name, at: $0.name) }), entry.hasValue else { return nil }
        return String(utf8: bytes.span.extracting(entry.value))
    }

    private mutating func appendText(_ text: String) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        return start..<bytes.count
    }

    private mutating func appendBytes(_ text: Span<UInt8>) -> Range<Int> {
        let start = bytes.count
        bytes.append(copying: text)
        return start..<bytes.count
    }
}

extension QueryItems: RandomAccessCollection {
    /// The position of the first item.
    public var startIndex: Int { 0 }
    /// The position after the last item.
    public var endIndex: Int { entries.count }

    /// The item at a position.
    public subscript(position: Int) -> Item {
        let entry = entries[position]
        return Item(
            name: String(utf8: bytes.span.extracting(entry.name)),
            value: entry.hasValue ? String(utf8: bytes.span.extracting(entry.value)) : nil
        )
    }
}

extension QueryItems: Hashable {
    /// Whether two lists hold the same items in the same order.
    public static func == (first: QueryItems, second: QueryItems) -> Bool {
        first.elementsEqual(second)
    }

    /// Feeds the items in order.
    public func hash(into hasher: inout Hasher) {
        for item in self { hasher.combine(item) }
    }
}

extension QueryItems: ExpressibleByDictionaryLiteral {
    /// Creates a list from pairs, in the order in which they are written.
    public init(dictionaryLiteral elements: (String, String?)...) {
        self.init()
        for (name, value) in elements { append(name, value) }
    }
}

extension [UInt8] {
    fileprivate func has(_ text: String, at range: Range<Int>) -> Bool {
        range.count == text.utf8.count && self[range].elementsEqual(text.utf8)
    }
}
