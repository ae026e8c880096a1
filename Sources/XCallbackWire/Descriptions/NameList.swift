/// Names in contiguous memory, in which the strings of messages are looked up.
struct NameList: Sendable {
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>] = []

    /// The number of names.
    var count: Int { ranges.count }

    /// Appends a name.
    mutating func append(_ name: String) {
        let start = bytes.count
        bytes += name.utf8
        ranges.append(start..<bytes.count)
    }

    /// The name at an index.
    subscript(position: Int) -> String { String(decoding: bytes[ranges[position]], as: UTF8.self) }

    /// Finds a name within a range; nil if it is not there.
    ///
    /// - Parameters:
    ///   - string: The index of the string in the message.
    ///   - positions: The range to search.
    ///   - layout: The layout of the message.
    ///   - text: The message.
    /// - Returns: The index of the name.
    @inline(__always)
    func position(
        of string: Int, in positions: Range<Int>, _ layout: JSONLayout, _ text: Span<UInt8>
    ) -> Int? {
        for position in positions where isName(position, string, layout, text) { return position }
        return nil
    }

    /// Whether a string of a message is the name at an index.
    @inline(__always)
    func isName(_ position: Int, _ string: Int, _ layout: JSONLayout, _ text: Span<UInt8>) -> Bool {
        let names = bytes.span
        return layout.isText(string, names.extracting(ranges[position]), in: text)
    }
}
