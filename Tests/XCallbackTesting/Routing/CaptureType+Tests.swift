package import XCallbackRouter

extension CaptureType {
    /// Decimal digits.
    package static let int = Self(name: "int", alphabet: "0123456789", examples: ["0", "1"]) { text in
        text.indices.allSatisfy { (0x30...0x39).contains(text[$0]) }
    }

    /// Lower-case letters.
    package static let word = Self(
        name: "word", alphabet: "abcdefghijklmnopqrstuvwxyz", examples: ["a"]
    ) { text in
        text.indices.allSatisfy { (0x61...0x7A).contains(text[$0]) }
    }

    /// `true` or `false`.
    package static let flag = Self(name: "flag", examples: ["true", "false"], isEnumeration: true) { text in
        let value = String(decoding: text.indices.map { text[$0] }, as: UTF8.self)
        return value == "true" || value == "false"
    }

    /// A number of up to two digits without leading zeros, at most 31.
    package static let day = Self(name: "day", alphabet: "0123456789", examples: ["1", "31"]) { text in
        guard let day = Int(String(decoding: text.indices.map { text[$0] }, as: UTF8.self)) else { return false }
        return text[0] != 0x30 && text[0] != 0x2B && 1...31 ~= day
    }
}
