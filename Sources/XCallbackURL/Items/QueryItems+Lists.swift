import XCallbackWire

extension QueryItems {
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
}
