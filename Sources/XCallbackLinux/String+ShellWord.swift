extension String {
    /// The text as a shell reads one word.
    package var shellWord: String {
        let isPlain = !isEmpty && hasOnlyAlphanumerics(and: "-_./:=+@%,")
        if isPlain { return self }
        // Of scalars, as a quote may be part of a longer character.
        let parts = unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        return "'\(parts.joined(separator: "'\\''"))'"
    }

    /// Whether the text has only letters and digits of ASCII, and some other characters.
    package func hasOnlyAlphanumerics(and others: String) -> Bool {
        utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: others.utf8.contains(byte)
            }
        }
    }
}
