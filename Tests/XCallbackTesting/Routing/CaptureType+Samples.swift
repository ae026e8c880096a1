package import XCallbackRouting

extension CaptureType {
    /// Decimal digits.
    package static let int = Self(name: "int", samples: ["1", "42"]) { text in
        text.indices.allSatisfy { (0x30...0x39).contains(text[$0]) }
    }

    /// Lower-case letters.
    package static let word = Self(name: "word", samples: ["true", "b", "ab"]) { text in
        text.indices.allSatisfy { (0x61...0x7A).contains(text[$0]) }
    }

    /// `true` or `false`.
    package static let flag = Self(name: "flag", samples: ["true", "false"]) { text in
        let value = String(decoding: text.indices.map { text[$0] }, as: UTF8.self)
        return value == "true" || value == "false"
    }
}
