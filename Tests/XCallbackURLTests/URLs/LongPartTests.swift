import Testing
import XCallbackURL

/// Long parts of a URL are read a block of sixteen bytes at a time.
struct LongPartTests {
    /// How many plain bytes stand before what is looked for.
    static let lengths = 0...34
    /// What a value may hold besides letters, and what that stands for.
    static let pieces: [(String, String)] = [
        ("!", "!"), ("\"", "\""), ("$", "$"), ("'", "'"), ("=", "="), ("/", "/"), ("?", "?"), ("+", "+"), ("~", "~"),
        ("%41", "A"), ("%2F%3d", "/="), ("%26", "&"), ("%7F", "\u{7F}"), ("é", "é"), ("\u{10FFFF}", "\u{10FFFF}"),
        ("%F0%9F%98%80", "😀"), ("!$\"", "!$\""), ("é%25é$", "é%é$"),
    ]

    @Test(arguments: pieces)
    func aValueIsReadToItsEnd(piece: String, text: String) throws {
        for (length, tail) in Self.lengths.flatMap({ length in [0, 1, 15, 16, 17].map { (length, $0) } }) {
            // With an escape at its beginning, and without.
            for (start, decodedStart) in [("", ""), ("%20", " ")] {
                let (before, after) = (String(repeating: "b", count: length), String(repeating: "a", count: tail))
                let value = "\(start)\(before)\(piece)\(after)"
                for end in ["", "&k", "#f"] {
                    let url = try ActionURL("n:/a?v=\(value)\(end)")
                    #expect(url.items["v"] == "\(decodedStart)\(before)\(text)\(after)")
                    #expect(url.items.count == (end == "&k" ? 2 : 1))
                }
            }
        }
    }

    /// What names and segments may hold, too.
    static let names = pieces.filter { !["=", "/", "?"].contains($0.0) }

    @Test(arguments: names)
    func aNameAndASegmentAreReadToTheirEnds(piece: String, text: String) throws {
        for (length, start) in Self.lengths.flatMap({ length in ["", "%41"].map { (length, $0) } }) {
            let before = String(repeating: "b", count: length)
            let name = "\(start)\(before)\(piece)"
            let decoded = "\(start.isEmpty ? "" : "A")\(before)\(text)"
            let url = try ActionURL("n:/\(name)/\(name)?\(name)=1&\(name)#\(name)")
            #expect(url.segments == [decoded, decoded])
            #expect(Array(url.items) == [.init(name: decoded, value: "1"), .init(name: decoded, value: nil)])
        }
    }

    @Test(arguments: lengths)
    func everyPlaceOfAFaultIsReported(length: Int) {
        let before = String(repeating: "b", count: length)
        for start in ["n:/a?v=", "n:/a?v=%20", "n:/", "n:/%20", "n:/a?", "n:/a?v#"] {
            for fault in ["\u{7F}", "\n", " ", "\u{1}"] {
                #expect(throws: ActionURLError(.rawControl, at: start.utf8.count + length)) {
                    try ActionURL("\(start)\(before)\(fault)c%")
                }
            }
        }
        for start in ["n:/a?v=", "n:/a?v=%20", "n:/", "n:/%20"] {
            for fault in ["%", "%4", "%4g", "%g4", "%%41"] {
                #expect(throws: ActionURLError(.badEscape, at: start.utf8.count + length)) {
                    try ActionURL("\(start)\(before)\(fault)")
                }
            }
        }
    }
}
