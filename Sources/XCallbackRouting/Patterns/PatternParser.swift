/// Reads the written form of a pattern into elements, with groups still nested.
///
/// All that means something is ASCII, so it goes by bytes; positions are counted in bytes too, until a fault is told.
struct PatternParser {
    /// A piece of the written form and the position where it starts.
    enum Element {
        case slash(position: Int)
        /// Characters that stand for themselves, as UTF-8.
        case text([UInt8], position: Int)
        case capture(Int, position: Int)
        case group([Element])
    }

    private(set) var captures: [CaptureName] = []
    private let text: String
    private let bytes: [UInt8]
    private var position = 0
    private var groupCount = 0
    private var isAtStart = true
    /// The elements of each group that is still open, with the whole pattern at the bottom.
    private var open: [(elements: [Element], position: Int)] = []

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    mutating func parse() throws(RoutePatternError) -> [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(8)
        while position < bytes.count {
            let start = position
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "{"):
                // Each group adds an alternative at least; the bound also bounds the depth of the nesting.
                groupCount += 1
                guard groupCount < RoutePattern.alternativeLimit else { throw fault(.tooManyAlternatives, at: start) }
                open.append((elements, start))
                elements = []
            case UInt8(ascii: "}"):
                guard let outer = open.popLast() else { throw fault(.unexpectedBrace, at: start) }
                elements = outer.elements + [.group(elements)]
            default:
                if isAtStart, byte != UInt8(ascii: "/") { throw fault(.missingSlash, at: start) }
                isAtStart = false
                elements.append(try element(of: byte, at: start))
            }
        }
        if let group = open.last { throw fault(.unterminatedGroup, at: group.position) }
        if isAtStart { throw fault(.missingSlash, at: 0) }
        return elements
    }

    private mutating func element(of byte: UInt8, at start: Int) throws(RoutePatternError) -> Element {
        switch byte {
        case UInt8(ascii: "/"):
            return .slash(position: start)
        case UInt8(ascii: ":"), UInt8(ascii: "*"):
            return .capture(try capture(isWildcard: byte == UInt8(ascii: "*"), at: start), position: start)
        default:
            // What means something else is reserved.
            if hasMeaning(byte) { throw fault(.reservedCharacter(Unicode.Scalar(byte)), at: start) }
            position = start
            return .text(try literal(), position: start)
        }
    }

    /// Reads characters up to one that means something.
    private mutating func literal() throws(RoutePatternError) -> [UInt8] {
        var text = try plainText()
        while position < bytes.count, bytes[position] == UInt8(ascii: "\\") {
            guard position + 1 < bytes.count else { throw fault(.missingEscapedCharacter, at: position) }
            // The rest of a longer character has no meaning either.
            text.append(bytes[position + 1])
            position += 2
            text += try plainText()
        }
        return text
    }

    private mutating func plainText() throws(RoutePatternError) -> [UInt8] {
        let start = position
        let text = takeBytes { !hasMeaning($0) && $0 != UInt8(ascii: "\\") }
        for index in text.indices where text[index] == UInt8(ascii: "%") && isEscape(at: start + index) {
            var end = start + index
            var decoded: [UInt8] = []
            while isEscape(at: end) {
                decoded.append(UInt8(String(decoding: bytes[end + 1...end + 2], as: UTF8.self), radix: 16) ?? 0)
                end += 3
            }
            let escape = String(decoding: bytes[start + index..<end], as: UTF8.self)
            throw fault(.percentEscape(escape, instead: Self.written(decoded)), at: start + index)
        }
        return text
    }

    private func isEscape(at index: Int) -> Bool {
        index + 2 < bytes.count && bytes[index] == UInt8(ascii: "%")
            && bytes[index + 1...index + 2].allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    /// Text as a pattern writes it; nil if it is none, or cannot be seen.
    private static func written(_ text: [UInt8]) -> String? {
        guard let text = String(validating: text, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        return text.unicodeScalars.map { scalar in
            scalar.isASCII && (scalar == "\\" || hasMeaning(UInt8(scalar.value))) ? "\\\(scalar)" : "\(scalar)"
        }.joined()
    }

    private mutating func capture(isWildcard: Bool, at start: Int) throws(RoutePatternError) -> Int {
        let isQuoted = position < bytes.count && bytes[position] == UInt8(ascii: "\"")
        let name = isQuoted ? try quotedName() : identifier()
        guard !name.isEmpty else { throw fault(.missingName, at: start + 1) }
        guard captures.first(named: name) == nil else { throw fault(.repeatedName(name), at: start) }
        captures.append(CaptureName(name: name, isWildcard: isWildcard, isOptional: !open.isEmpty))
        return captures.count - 1
    }

    private mutating func quotedName() throws(RoutePatternError) -> String {
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

    private mutating func identifier() -> String {
        let start = position
        while position < bytes.count {
            // Most names are ASCII, and finding a longer character takes its time.
            let scalar = bytes[position] < 0x80 ? Unicode.Scalar(bytes[position]) : scalar(at: position)
            guard position == start ? scalar.startsIdentifier : scalar.continuesIdentifier else { break }
            position += UTF8.width(scalar)
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private func scalar(at offset: Int) -> Unicode.Scalar {
        text.unicodeScalars[text.utf8.index(text.startIndex, offsetBy: offset)]
    }

    /// Takes bytes as long as they fit.
    private mutating func takeBytes(while fits: (UInt8) -> Bool) -> [UInt8] {
        let start = position
        while position < bytes.count, fits(bytes[position]) { position += 1 }
        return Array(bytes[start..<position])
    }

    private func fault(_ reason: RoutePatternError.Reason, at offset: Int) -> RoutePatternError {
        RoutePatternError(reason, at: offset, of: text)
    }
}

extension RoutePatternError {
    /// Creates an error at a position that is counted in bytes.
    init(_ reason: Reason, at offset: Int, of pattern: String) {
        let end = pattern.utf8.index(pattern.startIndex, offsetBy: offset)
        self.init(reason: reason, position: pattern.unicodeScalars[..<end].count, pattern: pattern)
    }
}

/// Whether a byte means something in a pattern, so that text ends before it; a `\` is part of a text.
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
    /// Whether a JavaScript identifier can start with it.
    var startsIdentifier: Bool {
        isASCII ? isASCIILetter || self == "$" || self == "_" : properties.isIDStart
    }

    /// Whether it can stand later in a JavaScript identifier.
    var continuesIdentifier: Bool {
        switch self {
        case "0"..."9", "\u{200C}", "\u{200D}": true
        default: startsIdentifier || !isASCII && properties.isIDContinue
        }
    }

    // The tables of Unicode are slow to ask, and most names are ASCII.
    private var isASCIILetter: Bool {
        switch self {
        case "a"..."z", "A"..."Z": true
        default: false
        }
    }
}
