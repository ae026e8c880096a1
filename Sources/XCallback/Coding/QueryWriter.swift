import XCallbackBytes
import XCallbackURL

/// Collects the items written for a value.
final class QueryWriter {
    /// An item, or a removed item.
    private struct Entry {
        var name: Range<Int>
        var value: Range<Int>?
        /// Whether the item, which marked a value as empty, was removed because something was written to the value.
        var isRemoved = false
        /// The list of which it is an element; 0 for none.
        var list = 0
    }

    let style: QueryStyle
    private var texts = ByteBuffer()
    private var entries: [Entry] = []
    private var listCount = 0
    private var fault: EncodingError?

    init(_ style: QueryStyle) {
        self.style = style
        entries.reserveCapacity(8)
    }

    /// The index of the next item.
    var count: Int { entries.count }

    /// Returns a number for a new list.
    func makeList() -> Int {
        listCount += 1
        return listCount
    }

    /// Appends an item; returns whether its name is allowed in an answer.
    func append(prefix: String, key: String?, value: String?, list: Int = 0) -> Bool {
        let start = texts.count
        texts.append(prefix.utf8.span)
        if let key {
            texts.append(NamePath.separator)
            texts.append(key.utf8.span)
        }
        let name = start..<texts.count
        var range: Range<Int>?
        if let value {
            texts.append(value.utf8.span)
            range = name.upperBound..<texts.count
        }
        entries.append(Entry(name: name, value: range, list: list))
        return prefix.isEmpty && key == nil ? value != nil : !hasReservedStart(prefix)
    }

    /// Records the first error of code that cannot throw.
    func note(_ error: EncodingError) {
        fault = fault ?? error
    }

    /// Removes an item.
    func remove(at index: Int) {
        entries[index].isRemoved = true
    }

    /// Makes the last item an element of a list, with the name of the list.
    func makeLastItemElement(of list: Int, named name: String) {
        let start = texts.count
        texts.append(name.utf8.span)
        entries[entries.count - 1].name = start..<texts.count
        entries[entries.count - 1].list = list
    }

    /// Numbers the elements of a list that so far have its name.
    func numberElements(of list: Int, from first: Int, named name: String) {
        var number = 0
        for index in first..<entries.count where entries[index].list == list {
            let start = texts.count
            texts.append("\(name).\(number)".utf8.span)
            entries[index].name = start..<texts.count
            number += 1
        }
    }

    /// The items.
    var items: QueryItems {
        var items = QueryItems()
        let texts = texts
        for entry in entries where !entry.isRemoved {
            items.append(name: entry.name, value: entry.value, of: texts.bytes.span)
        }
        return items
    }

    /// Throws the recorded error, or an error if a name other than that of a list is written twice.
    func check() throws {
        if let fault { throw fault }
        if entries.count <= 16 {
            for index in entries.indices.dropFirst() {
                for other in 0..<index where collide(entries[index], entries[other]) { throw collision(entries[index]) }
            }
            return
        }
        var lists: [[UInt8]: Int] = [:]
        for entry in entries where !entry.isRemoved {
            let name = Array(texts.bytes[entry.name])
            guard let list = lists.updateValue(entry.list, forKey: name) else { continue }
            if list == 0 || list != entry.list { throw collision(entry) }
        }
    }

    private func collide(_ first: Entry, _ second: Entry) -> Bool {
        guard first.name.count == second.name.count, !first.isRemoved, !second.isRemoved,
            first.list == 0 || first.list != second.list
        else { return false }
        let texts = texts
        return areEqual(texts.bytes.span.extracting(first.name), texts.bytes.span.extracting(second.name))
    }

    private func collision(_ entry: Entry) -> EncodingError {
        let name = String(decoding: texts.bytes[entry.name], as: UTF8.self)
        return EncodingError.invalidValue(
            name, EncodingError.Context(codingPath: [], debugDescription: "'\(name)' is written twice"))
    }
}

/// Whether a name is reserved for the protocol.
private func hasReservedStart(_ name: String) -> Bool {
    var bytes = name.utf8.makeIterator()
    return bytes.next().map { $0 | 0x20 } == UInt8(ascii: "x") && bytes.next() == UInt8(ascii: "-")
}
