import XCallbackURL
import XCallbackWire

/// Parses a pattern: splits it into tokens, and expands its optional groups into alternatives.
///
/// All special characters are ASCII, so the parser works on bytes; positions are byte offsets, too, except in errors.
struct PatternParser {
    private struct Token {
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
        let position: Int
    }

    private(set) var captures: [CaptureName] = []
    private let text: String
    private let bytes: [UInt8]
    private let syntax: URLSyntax
    /// Whether the first segment is a host.
    private let hasHost: Bool
    private var position: Int
    private var groupCount = 0
    private var isAtStart: Bool
    /// The positions of the open groups.
    private var openGroups: [Int] = []

    /// Creates a parser for a pattern.
    init(_ text: String, _ syntax: URLSyntax) {
        self.text = text
        self.syntax = syntax
        bytes = Array(text.utf8)
        hasHost = syntax == .url && bytes.starts(with: "//".utf8)
        position = hasHost ? 1 : 0
        isAtStart = syntax == .callback
    }

    /// Returns the alternatives: those with a group precede those without it, and earlier groups decide first.
    mutating func parse() throws(RoutePatternError) -> [[RoutePattern.Segment]] {
        if syntax == .text { return [try textSegments()] }
        var tokens: [Token] = []
        while let token = try next() { tokens.append(token) }
        var alternatives: [[RoutePattern.Segment]] = []
        for sequence in try sequences(of: tokens) {
            let segments = try marked(try segments(of: sequence))
            if !alternatives.contains(segments) { alternatives.append(segments) }
        }
        return alternatives
    }

    // MARK: - Other syntaxes

    /// Returns the segments with those that ``ActionURL`` adds in syntax `url`, and a host in its comparable form.
    private func marked(_ segments: [RoutePattern.Segment]) throws(RoutePatternError) -> [RoutePattern.Segment] {
        guard syntax == .url else { return segments }
        guard hasHost else { return [[.text(Array(":".utf8))]] + segments }
        var segments = segments
        for index in segments.first?.indices ?? 0..<0 {
            guard case .text(let text) = segments[0][index] else { continue }
            if text.contains(UInt8(ascii: "@")) { throw fault(.userOrPort, at: 2) }
            let isWhole = segments[0].count == 1
            segments[0][index] = .text(isWhole ? comparableHost(text.span) : text.map(asciiLowercase))
        }
        return [[.text(Array("//".utf8))]] + segments
    }

    /// Parses a pattern of syntax `text`, which has at most one segment.
    private mutating func textSegments() throws(RoutePatternError) -> [RoutePattern.Segment] {
        var literal: [UInt8] = []
        while position < bytes.count {
            let start = position
            position += 1
            switch bytes[start] {
            case UInt8(ascii: "*"):
                let capture = RoutePattern.Part.parameter(try capture(isWildcard: false, at: start))
                guard position == bytes.count else { throw fault(.textAfterCapture, at: position) }
                return [literal.isEmpty ? [capture] : [.text(literal), capture]]
            case UInt8(ascii: "\\"):
                guard position < bytes.count else { throw fault(.missingEscapedCharacter, at: start) }
                literal.append(bytes[position])
                position += 1
            default: literal.append(bytes[start])
            }
        }
        return literal.isEmpty ? [] : [[.text(literal)]]
    }

    // MARK: - Tokens

    /// Reads the next token; nil at the end of the pattern.
    private mutating func next() throws(RoutePatternError) -> Token? {
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
            return Token(kind: try kind(of: byte, at: start), position: start)
        }
    }

    private mutating func kind(of byte: UInt8, at start: Int) throws(RoutePatternError) -> Token.Kind {
        switch byte {
        case UInt8(ascii: "/"):
            return .slash
        case UInt8(ascii: ":"), UInt8(ascii: "*"):
            return .capture(try capture(isWildcard: byte == UInt8(ascii: "*"), at: start))
        case UInt8(ascii: "\\"):
            guard position < bytes.count else { throw fault(.missingEscapedCharacter, at: start) }
            // The other bytes of a longer character are not special either.
            position += 1
            return .text(start + 1..<position)
        default:
            // Other special characters are reserved.
            if isSpecial(byte) { throw fault(.reservedCharacter(Unicode.Scalar(byte)), at: start) }
            position = start
            while position < bytes.count, !isSpecial(bytes[position]), bytes[position] != UInt8(ascii: "\\") {
                if let escape = percentEscape(at: position) { throw fault(.percentEscape(escape), at: position) }
                position += 1
            }
            return .text(start..<position)
        }
    }

    private func percentEscape(at index: Int) -> String? {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count else { return nil }
        let digits = bytes[index + 1...index + 2]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        return "%" + String(decoding: digits, as: UTF8.self)
    }

    private mutating func capture(isWildcard: Bool, at start: Int) throws(RoutePatternError) -> Int {
        let isQuoted = position < bytes.count && bytes[position] == UInt8(ascii: "\"")
        let name = isQuoted ? try quotedName() : identifier()
        guard !name.isEmpty else {
            let isPort = hasHost && !isWildcard && !bytes[2..<start].contains(UInt8(ascii: "/"))
            throw fault(isPort ? .userOrPort : .missingName, at: start + 1)
        }
        guard captures.first(named: name) == nil else { throw fault(.repeatedName(name), at: start) }
        captures.append(CaptureName(name: name, isWildcard: isWildcard, isOptional: !openGroups.isEmpty))
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
            let scalar = scalar(at: position)
            guard position == start ? scalar.startsIdentifier : scalar.continuesIdentifier else { break }
            position += UTF8.width(scalar)
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private func scalar(at offset: Int) -> Unicode.Scalar {
        text.unicodeScalars[text.utf8.index(text.startIndex, offsetBy: offset)]
    }

    // MARK: - Alternatives

    /// Returns the tokens of each way to include and omit groups.
    private func sequences(of tokens: [Token]) throws(RoutePatternError) -> [[Token]] {
        // Those of the pattern so far, and those of each open group.
        var open: [[[Token]]] = []
        var sequences: [[Token]] = [[]]
        for token in tokens {
            switch token.kind {
            case .groupStart:
                open.append(sequences)
                sequences = [[]]
            case .groupEnd:
                let (before, included) = (open.removeLast(), sequences)
                // Both factors are within the limit, so the product cannot overflow.
                guard before.count * (included.count + 1) <= RoutePattern.alternativeLimit else {
                    throw fault(.tooManyAlternatives, at: 0)
                }
                sequences = before.flatMap { before in included.map { before + $0 } + [before] }
            case .slash, .text, .capture:
                for index in sequences.indices { sequences[index].append(token) }
            }
        }
        return sequences
    }

    private func segments(of tokens: [Token]) throws(RoutePatternError) -> [RoutePattern.Segment] {
        var segments: [RoutePattern.Segment] = []
        var segment: RoutePattern.Segment = []
        var start = 0
        for (index, token) in tokens.enumerated() {
            if segment.isEmpty { start = token.position }
            switch token.kind {
            case .slash where index == 0: break
            case .slash:
                guard !segment.isEmpty else { throw fault(.emptySegment, at: token.position) }
                try append(segment, to: &segments, at: start)
                segment = []
            case .text(let range):
                if case .text(let before)? = segment.last {
                    segment[segment.count - 1] = .text(before + bytes[range])
                } else {
                    segment.append(.text(Array(bytes[range])))
                }
            case .capture(let capture):
                if segment.last?.capture != nil {
                    throw fault(.missingText(before: captures[capture].name), at: token.position)
                }
                segment.append(captures[capture].isWildcard ? .wildcard(capture) : .parameter(capture))
            case .groupStart, .groupEnd: break
            }
        }
        if !segment.isEmpty { try append(segment, to: &segments, at: start) }
        return segments
    }

    private func append(
        _ segment: RoutePattern.Segment, to segments: inout [RoutePattern.Segment], at start: Int
    ) throws(RoutePatternError) {
        if segment.count == 1, case .text(let text) = segment[0], text.count <= 2,
            text.allSatisfy({ $0 == UInt8(ascii: ".") })
        {
            throw fault(.dotSegment, at: start)
        }
        segments.append(segment)
        guard segments.count <= RoutePattern.segmentLimit else { throw fault(.tooManySegments, at: start) }
    }

    private func fault(_ reason: RoutePatternError.Reason, at offset: Int) -> RoutePatternError {
        let end = text.utf8.index(text.startIndex, offsetBy: offset)
        return RoutePatternError(reason: reason, position: text.unicodeScalars[..<end].count, pattern: text)
    }
}

/// Whether a byte is special in a pattern, so that text ends before it; a `\` is part of the text.
private func isSpecial(_ byte: UInt8) -> Bool {
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
    fileprivate var startsIdentifier: Bool { self == "$" || self == "_" || properties.isIDStart }

    /// Whether a JavaScript identifier can continue with the scalar.
    var continuesIdentifier: Bool {
        self == "$" || self == "\u{200C}" || self == "\u{200D}" || properties.isIDContinue
    }
}
