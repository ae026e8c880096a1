/// How values are written as the items of a query: what writes and what reads them have to agree on it.
public struct QueryStyle: Hashable, Sendable {
    /// How the names of properties become the names of items; keys of dictionaries stay as they are.
    public enum Keys: Hashable, Sendable {
        /// As they are: `modificationDate`.
        case unchanged
        /// With hyphens: `modification-date`, and `grab-url` for `grabURL`.
        case kebabCase
        /// With underscores: `modification_date`, and `grab_url` for `grabURL`.
        case snakeCase
    }

    /// How a date is written.
    public enum Dates: Hashable, Sendable {
        /// In UTC, with a fraction where there is one: `2026-01-31T08:00:00Z`.
        ///
        /// A day alone and other offsets are read too. Years are 0000 to 9999, and nothing is finer than a nanosecond.
        case iso8601
        /// As the number of seconds since 1970-01-01T00:00:00Z: `1769846400.5`.
        case secondsSince1970
        /// As the number of milliseconds since 1970-01-01T00:00:00Z: `1769846400500`.
        case millisecondsSince1970
    }

    /// How bytes are written; both forms are read, with or without padding.
    public enum Bytes: Hashable, Sendable {
        /// In the alphabet that is safe in URLs, without padding (RFC 4648, section 5).
        case base64URL
        /// In the usual alphabet, with padding (RFC 4648, section 4).
        case base64
    }

    /// How deep a value may lie in others: 64 levels, as in `a.b.c`, which has three.
    ///
    /// What is deeper is neither written nor read.
    public static let depthLimit = 64

    /// Names as they are, dates of ISO 8601, and base64url.
    public static let standard = QueryStyle()

    /// How the names of properties are written.
    public var keys: Keys
    /// How dates are written.
    public var dates: Dates
    /// How bytes are written.
    public var bytes: Bytes

    /// Creates a style.
    public init(keys: Keys = .unchanged, dates: Dates = .iso8601, bytes: Bytes = .base64URL) {
        self.keys = keys
        self.dates = dates
        self.bytes = bytes
    }
}

extension QueryStyle.Keys {
    /// The name of an item for the name of a property.
    func name(of key: String) -> String {
        switch self {
        case .unchanged: key
        case .kebabCase: key.words(joinedBy: "-")
        case .snakeCase: key.words(joinedBy: "_")
        }
    }

    /// The names that a property may have which gives an item its name; the first is the likeliest.
    func candidates(for name: String) -> [String] {
        if self == .unchanged { return [name] }
        let words = name.split(separator: self == .kebabCase ? "-" : "_", omittingEmptySubsequences: true)
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return [name, (words.prefix(1).map(String.init) + rest).joined()]
    }
}
