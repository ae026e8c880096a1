extension String {
    /// The text quoted as one word for a shell.
    package var shellWord: String {
        // zsh expands '=ls', and fish '%self'.
        let isPlain = !isEmpty && !hasPrefix("=") && !hasPrefix("%") && hasOnlyAlphanumerics(and: "-_./:=+@%,")
        if isPlain { return self }
        // By Unicode scalars, because a quote can be part of a longer character. fish reads backslashes also in quotes.
        return unicodeScalars.reduce(into: "'") { $0 += $1 == "'" || $1 == "\\" ? "'\\\($1)'" : "\($1)" } + "'"
    }

    /// Whether the text contains only ASCII letters and digits, and the given other characters.
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
