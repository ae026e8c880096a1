/// The format of values in the items of a query; the encoder and the decoder must use the same style.
public struct QueryStyle: Hashable, Sendable {
    /// How property names become item names; dictionary keys do not change.
    public enum Keys: Hashable, Sendable {
        /// Unchanged: `modificationDate`.
        case unchanged
        /// With hyphens: `modification-date`, and `grab-url` for `grabURL`.
        case kebabCase
        /// With underscores: `modification_date`, and `grab_url` for `grabURL`.
        case snakeCase
    }

    /// The format of dates.
    public enum Dates: Hashable, Sendable {
        /// In UTC, with a fraction if necessary: `2026-01-31T08:00:00Z`.
        ///
        /// Dates without a time and other offsets can be decoded too. Years are 0000 to 9999; the precision is a nanosecond.
        case iso8601
        /// The number of seconds since 1970-01-01T00:00:00Z: `1769846400.5`.
        case secondsSince1970
        /// The number of milliseconds since 1970-01-01T00:00:00Z: `1769846400500`.
        case millisecondsSince1970
    }

    /// The format of bytes; both can be decoded, with or without padding.
    public enum Bytes: Hashable, Sendable {
        /// The URL-safe alphabet, without padding (RFC 4648, section 5).
        case base64URL
        /// The standard alphabet, with padding (RFC 4648, section 4).
        case base64
    }

    /// The maximum nesting depth of a value: 64 levels; `a.b.c` has three.
    ///
    /// Values that are nested more deeply are neither encoded nor decoded.
    package static let depthLimit = 64

    /// Unchanged names, ISO 8601 dates, and base64url.
    public static let standard = QueryStyle()

    /// The format of property names.
    public var keys: Keys
    /// The format of dates.
    public var dates: Dates
    /// The format of bytes.
    public var bytes: Bytes

    /// Creates a style.
    public init(keys: Keys = .unchanged, dates: Dates = .iso8601, bytes: Bytes = .base64URL) {
        self.keys = keys
        self.dates = dates
        self.bytes = bytes
    }
}

extension QueryStyle.Keys {
    /// Returns the item name of a property name.
    func name(of key: String) -> String {
        switch self {
        case .unchanged: key
        case .kebabCase: key.words(joinedBy: "-")
        case .snakeCase: key.words(joinedBy: "_")
        }
    }

    /// Returns the property names that could have produced an item name; the first is the most likely.
    func candidates(for name: String) -> [String] {
        if self == .unchanged { return [name] }
        let words = name.split(separator: self == .kebabCase ? "-" : "_", omittingEmptySubsequences: true)
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return [name, (words.prefix(1).map(String.init) + rest).joined()]
    }
}

extension String {
    /// Splits a camel-case name into lowercase words: `grabURL` becomes `grab-url`, and `AddText2` becomes `add-text2`.
    ///
    /// Acronyms and digits stay whole. A word starts with a capital after another letter or a digit, and with the last
    /// of several capitals before a lowercase letter: `URLGrabber` becomes `url-grabber`.
    ///
    /// - Parameter separator: The separator between words, which also replaces underscores.
    /// - Returns: The words, joined by the separator.
    func words(joinedBy separator: Character) -> String {
        let characters = Array(self)
        var result = ""
        for (index, character) in characters.enumerated() {
            if character == "_" {
                // Underscores at the ends are part of the name.
                result.append(result.isEmpty || index == characters.count - 1 ? character : separator)
                continue
            }
            if character.isUppercase, index > 0, beginsWord(characters, at: index) { result.append(separator) }
            result += character.lowercased()
        }
        return result
    }

    private func beginsWord(_ characters: [Character], at index: Int) -> Bool {
        let previous = characters[index - 1]
        if previous.isLowercase || previous.isNumber { return true }
        return previous.isUppercase && index + 1 < characters.count && characters[index + 1].isLowercase
    }
}

/// Item names of nested values: the keys on the path to the value, separated by full stops.
///
/// A full stop or a backslash in a key is escaped with a backslash.
enum QueryName {
    /// Returns a key in the form used in a name.
    static func escaped(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "\\") }) else { return key }
        var result = String.UnicodeScalarView()
        for scalar in key.unicodeScalars {
            if scalar == "." || scalar == "\\" { result.append("\\") }
            result.append(scalar)
        }
        return String(result)
    }

    /// Returns the keys of a name.
    static func keys(of name: String) -> [String] {
        var keys = [String.UnicodeScalarView()]
        var isEscaped = false
        for scalar in name.unicodeScalars {
            if scalar == "\\", !isEscaped {
                isEscaped = true
                continue
            }
            if scalar == ".", !isEscaped {
                keys.append(String.UnicodeScalarView())
            } else {
                keys[keys.count - 1].append(scalar)
            }
            isEscaped = false
        }
        return keys.map { String($0) }
    }
}
