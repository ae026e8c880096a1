package import XCallbackURL
import XCallbackWire

extension OutputSpan<UInt8> {
    /// Returns the maximum number of bytes of items as JSON.
    package static func room(forItems items: borrowing QueryItems) -> Int {
        var room = 2
        for index in items.entries.indices {
            let entry = items.entries[index]
            room += (entry.name.count + entry.value.count) * 6 + 32
        }
        return room
    }

    /// Appends items as JSON: an array of objects with `name` and `value`.
    ///
    /// The span must have room for ``room(forItems:)`` bytes.
    package mutating func append(items: borrowing QueryItems) {
        append(UInt8(ascii: "["))
        for index in items.entries.indices {
            let entry = items.entries[index]
            if index > 0 { append(UInt8(ascii: ",")) }
            append("{\"name\":\"")
            append(escaping: items.storage.bytes.span.extracting(entry.name))
            append("\",\"value\":")
            append(value: entry, of: items)
            append(UInt8(ascii: "}"))
        }
        append(UInt8(ascii: "]"))
    }

    /// Appends the value of an item as JSON: a string, or `null` for an item without a value.
    mutating func append(value entry: QueryItems.Entry, of items: borrowing QueryItems) {
        if entry.hasValue {
            append(json: items.storage.bytes.span.extracting(entry.value))
        } else {
            append("null")
        }
    }
}

extension [UInt8] {
    /// Appends items as JSON: an array of objects with `name` and `value`.
    package mutating func append(items: borrowing QueryItems) {
        append(addingCapacity: OutputSpan.room(forItems: items)) { $0.append(items: items) }
    }
}
