/// Splits a pattern into tokens, one at a time.
///
/// All special characters are ASCII, so the parser works on bytes; positions are byte offsets, too, except in errors.
/// The caller passes the same bytes of the pattern each time, to avoid a copy.
struct PatternParser {
    /// A token of the pattern.
    struct Token {
        enum Kind {
            case slash
            /// Literal characters, as a range of the pattern's bytes.
            case text(Range<Int>)
            /// A capture, as an index into ``PatternParser/captures``.
            case capture(Int)
            case groupStart
            case groupEnd
        }

        let kind: Kind
        /// The position in the pattern.
        let position: Int
    }

    private(set) var captures: [CaptureName] = []
    private let text: String
    private var position = 0
    private var groupCount = 0
    private var isAtStart = true
    /// The positions of the open groups.
    private var openGroups: [Int] = []

    /// Creates a parser for a pattern.
    init(_ text: String) {
        self.text = text
    }

    /// Reads the next token; nil at the end of the pattern.
    mutating func next(in bytes: Span<UInt8>) throws(RoutePatternError) -> Token? {
        guard position < bytes.count else {
            if let group = openGroups.last { throw fault(.unterminatedGroup, at: group) }
            if isAtStart { throw fault(.missingSlash, at: 0) }
            return nil
        }
        let start = position
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "{"):
            // Each group adds at least one alternative; the limit also bounds the nesting depth.
            groupCount += 1
            guard groupCount < RoutePattern.alternativeLimit else { throw fault(.tooManyAlternatives, at: start) }
            openGroups.append(start)
            return Token(kind: .groupStart, position: start)
        case UInt8(ascii: "}"):
            guard openGroups.popLast() != nil else { throw fault(.unexpectedBrace, at: start) }
            return Token(kind: .groupEnd, position: start)
        default:
            if isAtStart, byte != UInt8(ascii: "/") { throw fault(.missingSlash, at: start) }
            isAtStart = false
            return Token(kind: try kind(of: byte, at: start, in: bytes), position: start)
        }
    }

    private mutating func kind(
        of byte: UInt8, at start: Int, in bytes: Span<UInt8>
    ) throws(RoutePatternError) -> Token.Kind {
        switch byte {
        case UInt8(ascii: "/"):
            return .slash
        case UInt8(ascii: ":"), UInt8(ascii: "*"):
            return .capture(try capture(isWildcard: byte == UInt8(ascii: "*"), at: start, in: bytes))
        case UInt8(ascii: "\\"):
            guard position < bytes.count else { throw fault(.missingEscapedCharacter, at: start) }
            // The other bytes of a longer character are not special either.
            position += 1
            return .text(start + 1..<position)
        default:
            // Other special characters are reserved.
            if hasMeaning(byte) { throw fault(.reservedCharacter(Unicode.Scalar(byte)), at: start) }
            position = start
            while position < bytes.count, !hasMeaning(bytes[position]), bytes[position] != UInt8(ascii: "\\") {
                if bytes[position] == UInt8(ascii: "%"), Self.isEscape(at: position, in: bytes) {
                    throw percentEscapeFault(at: position, in: bytes)
                }
                position += 1
            }
            return .text(start..<position)
        }
    }

    private func percentEscapeFault(at start: Int, in bytes: Span<UInt8>) -> RoutePatternError {
        var end = start
        var decoded: [UInt8] = []
        while Self.isEscape(at: end, in: bytes) {
            decoded.append(UInt8(Self.text(end + 1..<end + 3, of: bytes), radix: 16) ?? 0)
            end += 3
        }
        return fault(.percentEscape(Self.text(start..<end, of: bytes), instead: Self.written(decoded)), at: start)
    }

    private static func isEscape(at index: Int, in bytes: Span<UInt8>) -> Bool {
        index + 2 < bytes.count && bytes[index] == UInt8(ascii: "%")
            && Character(Unicode.Scalar(bytes[index + 1])).isHexDigit
            && Character(Unicode.Scalar(bytes[index + 2])).isHexDigit
    }

    private static func text(_ range: Range<Int>, of bytes: Span<UInt8>) -> String {
        bytes.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns text in pattern syntax; nil if it is invalid or invisible.
    private static func written(_ text: [UInt8]) -> String? {
        guard let text = String(validating: text, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        return text.unicodeScalars.map { scalar in
            scalar.isASCII && (scalar == "\\" || hasMeaning(UInt8(scalar.value))) ? "\\\(scalar)" : "\(scalar)"
        }.joined()
    }

    private mutating func capture(
        isWildcard: Bool, at start: Int, in bytes: Span<UInt8>
    ) throws(RoutePatternError) -> Int {
        let isQuoted = position < bytes.count && bytes[position] == UInt8(ascii: "\"")
        let name = isQuoted ? try quotedName(in: bytes) : identifier(in: bytes)
        guard !name.isEmpty else { throw fault(.missingName, at: start + 1) }
        guard captures.first(named: name) == nil else { throw fault(.repeatedName(name), at: start) }
        captures.append(CaptureName(name: name, isWildcard: isWildcard, isOptional: !openGroups.isEmpty))
        return captures.count - 1
    }

    private mutating func quotedName(in bytes: Span<UInt8>) throws(RoutePatternError) -> String {
        let quote = position
        var name: [UInt8] = []
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            if bytes[position] == UInt8(ascii: "\\") { position += 1 }
            guard position < bytes.count else { break }
            name.append(bytes[position])
            position += 1
        }
        guard position < bytes.count else { throw fault(.unterminatedQuote, at: quote) }
        position += 1
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func identifier(in bytes: Span<UInt8>) -> String {
        let start = position
        while position < bytes.count {
            // Most names are ASCII, and decoding a longer character is slow.
            let scalar = bytes[position] < 0x80 ? Unicode.Scalar(bytes[position]) : scalar(at: position)
            guard position == start ? scalar.startsIdentifier : scalar.continuesIdentifier else { break }
            position += UTF8.width(scalar)
        }
        return Self.text(start..<position, of: bytes)
    }

    private func scalar(at offset: Int) -> Unicode.Scalar {
        text.unicodeScalars[text.utf8.index(text.startIndex, offsetBy: offset)]
    }

    private func fault(_ reason: RoutePatternError.Reason, at offset: Int) -> RoutePatternError {
        RoutePatternError(reason, at: offset, of: text)
    }
}

extension RoutePatternError {
    /// Creates an error at a byte offset.
    init(_ reason: Reason, at offset: Int, of pattern: String) {
        let end = pattern.utf8.index(pattern.startIndex, offsetBy: offset)
        self.init(reason: reason, position: pattern.unicodeScalars[..<end].count, pattern: pattern)
    }
}

/// Whether a byte is special in a pattern, so that text ends before it; a `\` is part of the text.
private func hasMeaning(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "*"), UInt8(ascii: "{"), UInt8(ascii: "}"),
        UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "+"),
        UInt8(ascii: "?"), UInt8(ascii: "!"):
        true
    default: false
    }
}

extension Unicode.Scalar {
    /// Whether a JavaScript identifier can start with the scalar.
    var startsIdentifier: Bool {
        isASCII ? isASCIILetter || self == "$" || self == "_" : properties.isIDStart
    }

    /// Whether a JavaScript identifier can continue with the scalar.
    var continuesIdentifier: Bool {
        switch self {
        case "0"..."9", "\u{200C}", "\u{200D}": true
        default: startsIdentifier || !isASCII && properties.isIDContinue
        }
    }

    // Unicode tables are slow, and most names are ASCII.
    private var isASCIILetter: Bool {
        switch self {
        case "a"..."z", "A"..."Z": true
        default: false
        }
    }
}
