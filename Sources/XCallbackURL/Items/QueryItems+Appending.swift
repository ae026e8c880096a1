import XCallbackWire

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
}
