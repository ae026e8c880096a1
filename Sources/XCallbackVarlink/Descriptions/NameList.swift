import XCallbackJSON

/// Names in one piece of memory, in which the strings of messages are looked up.
struct NameList: Sendable {
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>] = []

    /// How many names there are.
    var count: Int { ranges.count }

    /// Appends a name.
    mutating func append(_ name: String) {
        let start = bytes.count
        bytes += name.utf8
        ranges.append(start..<bytes.count)
    }

    /// The name at a position.
    subscript(position: Int) -> String { String(decoding: bytes[ranges[position]], as: UTF8.self) }

    /// The position of a name among some of them; nil if it is not there.
    ///
    /// - Parameters:
    ///   - string: The value of the message.
    ///   - positions: Where to look.
    ///   - layout: Where the values lie.
    ///   - text: The message.
    /// - Returns: The position.
    @inline(__always)
    func position(
        of string: Int, in positions: Range<Int>, _ layout: JSONLayout, _ text: Span<UInt8>
    ) -> Int? {
        for position in positions where isName(position, string, layout, text) { return position }
        return nil
    }

    /// Whether a string of a message is the name at a position.
    @inline(__always)
    func isName(_ position: Int, _ string: Int, _ layout: JSONLayout, _ text: Span<UInt8>) -> Bool {
        let names = bytes.span
        return layout.isText(string, names.extracting(ranges[position]), in: text)
    }
}
