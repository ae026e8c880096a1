package import XCallbackRouting

extension CaptureType {
    /// Decimal digits.
    package static let int = Self(name: "int", language: TextLanguage.digit.atLeast(1)) { text in
        text.indices.allSatisfy { (0x30...0x39).contains(text[$0]) }
    }

    /// Lower-case letters.
    package static let word = Self(name: "word", language: TextLanguage.byte(ByteSet(0x61...0x7A)).atLeast(1)) { text in
        text.indices.allSatisfy { (0x61...0x7A).contains(text[$0]) }
    }

    /// `true` or `false`.
    package static let flag = Self(
        name: "flag", language: .choice([.text("true".utf8), .text("false".utf8)]), values: ["true", "false"]
    ) { text in
        let value = String(decoding: text.indices.map { text[$0] }, as: UTF8.self)
        return value == "true" || value == "false"
    }

    /// A number of up to two digits without leading zeros, at most 31.
    package static let day = Self(
        name: "day",
        language: .choice([
            .byte(ByteSet(0x31...0x39)), .sequence([.byte(ByteSet(0x31...0x32)), .digit]),
            .sequence([.text("3".utf8), .byte(ByteSet(0x30...0x31))]),
        ])
    ) { text in
        guard let day = Int(String(decoding: text.indices.map { text[$0] }, as: UTF8.self)) else { return false }
        return text[0] != 0x30 && text[0] != 0x2B && 1...31 ~= day
    }
}
