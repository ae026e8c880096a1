import XCallbackBytes

extension QueryItems {
    /// Appends an item whose texts lie in other bytes.
    ///
    /// A comma in the value parts no list, however the item is read.
    ///
    /// - Parameters:
    ///   - name: Where the decoded name is.
    ///   - value: Where the decoded value is; nil if there is none.
    ///   - texts: The bytes.
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
}
