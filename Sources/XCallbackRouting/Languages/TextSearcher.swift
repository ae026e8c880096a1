/// Finds the places of a text in what is read backwards: the automaton of Knuth, Morris and Pratt.
struct TextSearcher {
    /// The text, its last byte first.
    let bytes: [UInt8]
    /// For each number of bytes that were found, how many of them may be the beginning of a later place.
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

    /// How many bytes are found of a place that overlaps one.
    var afterPlace: Int { fallbacks[bytes.count] }

    /// How many bytes are found after another one; all of them mean that a place has been reached.
    func next(after found: Int, _ byte: UInt8) -> Int {
        var found = found == bytes.count ? afterPlace : found
        while found > 0, bytes[found] != byte { found = fallbacks[found] }
        return bytes[found] == byte ? found + 1 : 0
    }
}
