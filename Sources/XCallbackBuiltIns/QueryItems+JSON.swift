import XCallbackJSON
package import XCallbackURL

extension [UInt8] {
    /// Appends items as JSON: an array of objects with `name` and `value`.
    package mutating func append(items: borrowing QueryItems) {
        append(UInt8(ascii: "["))
        for index in items.entries.indices {
            let entry = items.entries[index]
            append(index == 0 ? "{\"name\":" : ",{\"name\":")
            append(json: items.storage.bytes.span.extracting(entry.name))
            append(",\"value\":")
            append(value: entry, of: items)
            append(UInt8(ascii: "}"))
        }
        append(UInt8(ascii: "]"))
    }

    /// Appends the value of an item as JSON: a text, or `null` where it has none.
    mutating func append(value entry: QueryItems.Entry, of items: borrowing QueryItems) {
        if entry.hasValue {
            append(json: items.storage.bytes.span.extracting(entry.value))
        } else {
            append("null")
        }
    }
}
