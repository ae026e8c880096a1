import XCallbackBytes

extension QueryItems {
    /// The elements of a list that one item gives.
    ///
    /// Raw commas separate elements, and a comma that was encoded is data. A value that was never encoded, such as one
    /// set by middleware, is split at its commas too. The value of a capture is one element, and a name alone gives none.
    ///
    /// - Parameters:
    ///   - index: The position of the item.
    ///   - plusIsSpace: Whether the query was written by an HTML form.
    /// - Returns: The decoded elements; nil for one that is cut off within a character.
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
