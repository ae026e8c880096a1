/// Finds the occurrences of a text in input that is read backward, with the Knuth-Morris-Pratt automaton.
struct TextSearcher {
    /// The text, in reverse.
    let bytes: [UInt8]
    /// For each number of matched bytes, the number of them that can start a later occurrence.
    private let fallbacks: [Int]

    /// Creates a searcher for a text.
    init(_ text: [UInt8]) {
        bytes = text.reversed()
        var fallbacks = Array(repeating: 0, count: text.count + 1)
        var found = 0
        for position in 1..<max(text.count, 1) {
            while found > 0, bytes[position] != bytes[found] { found = fallbacks[found] }
            if bytes[position] == bytes[found] { found += 1 }
            fallbacks[position + 1] = found
        }
        self.fallbacks = fallbacks
    }

    /// The number of matched bytes after a complete occurrence, for an overlapping one.
    var afterPlace: Int { fallbacks[bytes.count] }

    /// Returns the number of matched bytes after another byte; all of them mean that an occurrence is complete.
    func next(after found: Int, _ byte: UInt8) -> Int {
        var found = found == bytes.count ? afterPlace : found
        while found > 0, bytes[found] != byte { found = fallbacks[found] }
        return bytes[found] == byte ? found + 1 : 0
    }
}
