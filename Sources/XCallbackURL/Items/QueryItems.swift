public import XCallbackWire

/// Names and values in order, as in the query of a URL.
///
/// Names can repeat. A value can be missing (`k`), which differs from an empty value (`k=`). All texts are in one buffer, so
/// that a request creates no strings for items that are not read.
public struct QueryItems: Sendable {
    /// A name with its value.
    public struct Item: Hashable, Sendable {
        /// The decoded name.
        public let name: String
        /// The decoded value; nil without a value.
        public let value: String?

        /// Creates an item.
        package init(name: String, value: String?) {
            self.name = name
            self.value = value
        }
    }

    /// The ranges of an item's texts in the buffer.
    @usableFromInline
    package struct Entry: Sendable {
        /// The decoded name.
        package let name: Range<Int>
        /// The decoded value; empty without a value.
        package let value: Range<Int>
        /// The name as received, still encoded; the same as `name` if nothing was encoded.
        package let encodedName: Range<Int>
        /// The value as received, still encoded; the same as `value` if nothing was encoded.
        package let encodedValue: Range<Int>
        /// Whether there is a value, even an empty one.
        package let hasValue: Bool
        /// Whether the item is from the path and not from the query.
        package var isCapture = false
    }

    /// The buffer with the texts; bytes outside all entries are undefined.
    @usableFromInline package private(set) var storage: ByteBuffer
    /// The items, in order.
    @usableFromInline package private(set) var entries: [Entry]
    /// Whether an item cannot be in an answer: its name starts with `x-`, or it has neither a name nor a value.
    ///
    /// It is always up to date, so that answers need not be searched for such items.
    @usableFromInline package private(set) var hasReservedName = false

    /// Creates an empty list.
    public init() {
        storage = ByteBuffer()
        entries = []
    }

    /// Creates a view of items whose texts are in a buffer.
    package init(_ storage: ByteBuffer, _ entries: [Entry]) {
        self.storage = storage
        self.entries = entries
    }

    /// Removes all items and copies the texts of a URL and the names of captures; keeps the memory.
    ///
    /// - Parameters:
    ///   - url: The URL, whose items can be appended after the captures.
    ///   - names: The names of the captures that can be appended after this call.
    package mutating func reset(to url: borrowing ActionURL, _ names: CaptureNames) {
        removeAll()
        storage.append(url.storage.bytes.span.extracting(0..<url.storage.count))
        storage.append(names.texts.span)
    }

    /// Appends a capture whose value is in the copied texts of the URL.
    package mutating func append(captureAt index: Int, of names: CaptureNames, value: Range<Int>) {
        let name = names.names[index]
        let start = storage.count - names.texts.count + name.start
        entries.append(Entry(name: start..<start + name.count, value: value, isCapture: true))
        if name.isReserved { hasReservedName = true }
    }

    /// Appends the items of the copied URL, except those with the name of a capture.
    ///
    /// The captures are the entries so far.
    package mutating func appendUncaptured(of url: borrowing ActionURL) {
        let captureCount = entries.count
        for index in url.entries.indices {
            let entry = url.entries[index]
            // URL items never have reserved names.
            if !isCaptured(entry.name, among: captureCount) { entries.append(entry) }
        }
    }

    @inline(__always)
    private func isCaptured(_ name: Range<Int>, among count: Int) -> Bool {
        let texts = storage.bytes.span
        for index in 0..<count where areEqual(texts.extracting(entries[index].name), texts.extracting(name)) {
            return true
        }
        return false
    }

    /// Appends an item.
    public mutating func append(_ name: String, _ value: String?) {
        if isReserved(name.utf8.span, hasValue: value != nil) { hasReservedName = true }
        let name = appendBytes(name.utf8.span)
        let value = value.map { appendBytes($0.utf8.span) }
        entries.append(Entry(name: name, value: value))
    }

    /// Appends the values of a parameter: an item per value, or the name alone for an empty list.
    package mutating func append(_ name: String, values: [String]) {
        if values.isEmpty { append(name, nil) }
        for value in values { append(name, value) }
    }

    /// Appends an item with decoded texts.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    ///   - hasValue: Whether there is a value; if not, the name stands alone.
    package mutating func append(name: Span<UInt8>, value: Span<UInt8>, hasValue: Bool = true) {
        if isReserved(name, hasValue: hasValue) { hasReservedName = true }
        let name = appendBytes(name)
        entries.append(Entry(name: name, value: hasValue ? appendBytes(value) : nil))
    }

    /// Appends an item of another list, including its encoded value.
    package mutating func append(_ entry: Entry, of other: Span<UInt8>) {
        append(entry, of: other, named: other.extracting(entry.name))
    }

    /// Appends an item of another list under another name, including its encoded value.
    package mutating func append(_ entry: Entry, of other: Span<UInt8>, named newName: Span<UInt8>) {
        if isReserved(newName, hasValue: entry.hasValue) { hasReservedName = true }
        let name = appendBytes(newName)
        let value = appendBytes(other.extracting(entry.value))
        let isEncoded = entry.value != entry.encodedValue
        let encodedValue = isEncoded ? appendBytes(other.extracting(entry.encodedValue)) : value
        entries.append(
            Entry(
                name: name, value: value, encodedName: name, encodedValue: encodedValue, hasValue: entry.hasValue,
                isCapture: entry.isCapture))
    }

    /// Appends an item whose value has an encoded form, so that commas in it are not list separators.
    mutating func appendWhole(_ item: Item, isCapture: Bool) {
        if isReserved(item.name.utf8.span, hasValue: item.value != nil) { hasReservedName = true }
        let name = appendBytes(item.name.utf8.span)
        guard let value = item.value else { return entries.append(Entry(name: name, value: nil, isCapture: isCapture)) }
        let decoded = appendBytes(value.utf8.span)
        let start = storage.count
        storage.append(percentEncoding: value.utf8.span)
        entries.append(
            Entry(
                name: name, value: decoded, encodedName: name, encodedValue: start..<storage.count, hasValue: true,
                isCapture: isCapture))
    }

    /// Removes all items, and keeps the memory.
    package mutating func removeAll() {
        entries.clear()
        storage.truncate()
        hasReservedName = false
    }

    /// Removes all items with a name.
    public mutating func removeAll(named name: String) {
        keep(entries.filter { !has(name.utf8.span, at: $0) })
    }

    /// Removes all entries but some of them; their texts stay.
    private mutating func keep(_ kept: [Entry]) {
        entries = kept
        hasReservedName = kept.contains { entry in
            isReserved(storage.bytes.span.extracting(entry.name), hasValue: entry.hasValue)
        }
    }

    /// Returns the index of the first item with a name; nil if there is none.
    package func firstIndex(named name: Span<UInt8>) -> Int? {
        for index in entries.indices where has(name, at: entries[index]) { return index }
        return nil
    }

    /// Whether an item has a name.
    public func contains(name: String) -> Bool {
        firstIndex(named: name.utf8.span) != nil
    }

    /// The value of the first item with a name; nil if there is no such item or it has no value.
    public subscript(name: String) -> String? {
        firstIndex(named: name.utf8.span).flatMap { self[$0].value }
    }

    private func has(_ name: Span<UInt8>, at entry: Entry) -> Bool {
        areEqual(storage.bytes.span.extracting(entry.name), name)
    }

    private mutating func appendBytes(_ text: Span<UInt8>) -> Range<Int> {
        let start = storage.count
        storage.append(text)
        return start..<storage.count
    }
}

extension QueryItems {
    /// Appends an item whose texts are in another buffer.
    ///
    /// A comma in the value is not a list separator, however the item is read.
    ///
    /// - Parameters:
    ///   - name: The range of the decoded name.
    ///   - value: The range of the decoded value; nil without a value.
    ///   - texts: The buffer.
    package mutating func append(name: Range<Int>, value: Range<Int>?, of texts: Span<UInt8>) {
        if let value, hasComma(texts.extracting(value)) {
            let item = Item(name: String(utf8: texts.extracting(name)), value: String(utf8: texts.extracting(value)))
            appendWhole(item, isCapture: false)
        } else {
            append(Entry(name: name, value: value), of: texts)
        }
    }

    private func hasComma(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where text[index] == UInt8(ascii: ",") { return true }
        return false
    }

    /// Renames items; each keeps its position and its value.
    ///
    /// A query item that gets the name of a capture is removed, because the capture takes precedence.
    ///
    /// - Parameter newName: Returns the new name of a query item; nil to keep the name.
    package mutating func rename(_ newName: (Span<UInt8>) -> [UInt8]?) {
        let changes = entries.indices.map { index in
            entries[index].isCapture ? nil : newName(storage.bytes.span.extracting(entries[index].name))
        }
        guard changes.contains(where: { $0 != nil }) else { return }
        let old = self
        removeAll()
        for (index, change) in changes.enumerated() {
            let entry = old.entries[index]
            guard let change else {
                append(entry, of: old.storage.bytes.span)
                continue
            }
            if old.hasCapture(named: change) { continue }
            append(entry, of: old.storage.bytes.span, named: change.span)
        }
    }

    /// Removes the query items whose names satisfy a condition; captures stay.
    package mutating func removeItems(where isUnwanted: (Span<UInt8>) -> Bool) {
        keep(entries.filter { $0.isCapture || !isUnwanted(storage.bytes.span.extracting($0.name)) })
    }

    /// Replaces all items; those that were also present before keep their received form.
    ///
    /// - Parameter items: The new items, in order. Each value is a single value, even if it contains commas.
    package mutating func replace(with items: [Item]) {
        let old = self
        var isLeft = Array(repeating: true, count: old.count)
        removeAll()
        for item in items {
            if let index = old.indices.first(where: { isLeft[$0] && old[$0] == item }) {
                isLeft[index] = false
                append(old.entries[index], of: old.storage.bytes.span)
            } else {
                appendWhole(item, isCapture: old.hasCapture(named: Array(item.name.utf8)))
            }
        }
    }

    /// Whether a capture has a name.
    private func hasCapture(named name: [UInt8]) -> Bool {
        entries.indices.contains { index in
            entries[index].isCapture && areEqual(storage.bytes.span.extracting(entries[index].name), name.span)
        }
    }

    /// Returns the number of list elements of an item.
    package func elementCount(of index: Int) -> Int {
        let entry = entries[index]
        if !entry.hasValue { return 0 }
        if entry.isCapture { return 1 }
        let texts = storage.bytes.span
        return entry.encodedValue.reduce(1) { texts[$1] == UInt8(ascii: ",") ? $0 + 1 : $0 }
    }

    /// Returns the list elements of an item.
    ///
    /// Raw commas separate elements, and encoded commas are data. A value that was never encoded, such as one set by
    /// middleware, is also split at its commas. The value of a capture is one element, and a name alone has none.
    ///
    /// - Parameters:
    ///   - index: The index of the item.
    ///   - plusIsSpace: Whether an HTML form created the query.
    /// - Returns: The decoded elements; nil for an element that is cut within a character.
    package func elements(of index: Int, plusIsSpace: Bool = false) -> [[UInt8]?] {
        let entry = entries[index]
        let texts = storage.bytes.span
        guard entry.hasValue else { return [] }
        guard !entry.isCapture else { return [Array(copying: texts.extracting(entry.value))] }
        let isEncoded = entry.encodedValue != entry.value
        var elements: [[UInt8]?] = []
        var start = entry.encodedValue.lowerBound
        for end in entry.encodedValue.lowerBound...entry.encodedValue.upperBound
        where end == entry.encodedValue.upperBound || texts[end] == UInt8(ascii: ",") {
            let piece = texts.extracting(start..<end)
            elements.append(isEncoded ? percentDecoded(piece, plusIsSpace: plusIsSpace) : Array(copying: piece))
            start = end + 1
        }
        return elements
    }

    /// Creates items from a dictionary, sorted by name.
    ///
    /// - Parameter dictionary: The values by name.
    public init(_ dictionary: [String: String]) {
        self.init()
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { append(name, value) }
    }
}

/// Whether items with a name are not allowed in answers.
@inline(__always)
private func isReserved(_ name: Span<UInt8>, hasValue: Bool) -> Bool {
    name.isEmpty ? !hasValue : isProtocolName(name)
}

/// The names of a route's captures, in the form that requests need.
package struct CaptureNames: Sendable {
    fileprivate struct Name: Sendable {
        let start: Int
        let count: Int
        /// Whether an item with this name is not allowed in answers.
        let isReserved: Bool
    }

    /// All names, concatenated.
    fileprivate let texts: [UInt8]
    fileprivate let names: [Name]

    /// Creates the names, in the order in which captures refer to them.
    package init(_ names: [String]) {
        var start = 0
        self.names = names.map { name in
            defer { start += name.utf8.count }
            return Name(start: start, count: name.utf8.count, isReserved: isReserved(name.utf8.span, hasValue: true))
        }
        texts = names.flatMap { Array($0.utf8) }
    }
}

extension QueryItems: RandomAccessCollection {
    /// The index of the first item.
    public var startIndex: Int { 0 }
    /// The index after the last item.
    public var endIndex: Int { entries.count }

    /// The item at an index.
    public subscript(position: Int) -> Item {
        let entry = entries[position]
        return Item(
            name: String(utf8: storage.bytes.span.extracting(entry.name)),
            value: entry.hasValue ? String(utf8: storage.bytes.span.extracting(entry.value)) : nil
        )
    }
}

extension QueryItems: Hashable {
    /// Whether two lists contain the same items in the same order.
    public static func == (first: QueryItems, second: QueryItems) -> Bool {
        first.elementsEqual(second)
    }

    /// Hashes the items in order.
    public func hash(into hasher: inout Hasher) {
        for item in self { hasher.combine(item) }
    }
}

extension QueryItems: ExpressibleByDictionaryLiteral {
    /// Creates items from pairs, in the order of the literal.
    public init(dictionaryLiteral elements: (String, String?)...) {
        self.init()
        for (name, value) in elements { append(name, value) }
    }
}

/// The role of an item in a list.
package enum ListPlace: Hashable, Sendable {
    /// Any number of elements: the item has the name of the list.
    case whole
    /// One element: the item has the name of the list, a full stop and a number.
    case element(Int)
}

/// Returns the role of an item in a list; nil if it does not belong to the list.
///
/// - Parameters:
///   - item: The decoded name of the item.
///   - list: The name of the list.
/// - Returns: The role; a number has at most nine digits.
package func listPlace(of item: Span<UInt8>, in list: [UInt8]) -> ListPlace? {
    guard item.count >= list.count, areEqual(item.extracting(0..<list.count), list.span) else { return nil }
    if item.count == list.count { return .whole }
    guard item[list.count] == UInt8(ascii: "."), (1...9).contains(item.count - list.count - 1) else { return nil }
    var number = 0
    for index in list.count + 1..<item.count {
        guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= item[index] else { return nil }
        number = number * 10 + Int(item[index] - UInt8(ascii: "0"))
    }
    return .element(number)
}

extension QueryItems.Entry {
    /// Creates an entry whose texts were not encoded.
    init(name: Range<Int>, value: Range<Int>?, isCapture: Bool = false) {
        self.init(
            name: name, value: value ?? 0..<0, encodedName: name, encodedValue: value ?? 0..<0,
            hasValue: value != nil, isCapture: isCapture)
    }
}

extension QueryItems {
    /// The items as a JSON array of objects with `name` and `value`.
    package var json: JSONValue {
        .array(map { ["name": .string($0.name), "value": .text($0.value)] })
    }

    /// The values of each name, in the order of first occurrence.
    package var valuesByName: [(name: String, values: [String?])] {
        var indices: [[UInt8]: Int] = [:]
        return reduce(into: []) { found, item in
            let name = Array(item.name.utf8)
            let index = indices[name] ?? found.count
            if index == found.count { found.append((item.name, [])) }
            indices[name] = index
            found[index].values.append(item.value)
        }
    }
}

extension QueryItems: CustomStringConvertible, CustomReflectable {
    /// The items as a literal: `["title": "Milk", "flag": nil]`.
    public var description: String {
        let items = map { "\($0.name.debugDescription): \($0.value?.debugDescription ?? "nil")" }
        return items.isEmpty ? "[:]" : "[\(items.joined(separator: ", "))]"
    }

    /// The names and values.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: map { ($0.name, $0.value) }, displayStyle: .collection)
    }
}
