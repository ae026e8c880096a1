/// Reads the written form of a pattern into elements, with groups still nested.
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
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var groupCount = 0
    private var isAtStart = true
    /// The elements of each group that is still open, with the whole pattern at the bottom.
    private var open: [(elements: [Element], position: Int)] = []

    init(_ text: String) {
        self.text = text
        scalars = Array(text.unicodeScalars)
    }

    mutating func parse() throws(RoutePatternError) -> [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(8)
        while position < scalars.count {
            let start = position
            let scalar = scalars[position]
            position += 1
            switch scalar {
            case "{":
                // Each group adds an alternative at least; the bound also bounds the depth of the nesting.
                groupCount += 1
                guard groupCount < RoutePattern.alternativeLimit else { throw fault(.tooManyAlternatives, at: start) }
                open.append((elements, start))
                elements = []
            case "}":
                guard let outer = open.popLast() else { throw fault(.unexpectedBrace, at: start) }
                elements = outer.elements + [.group(elements)]
            default:
                if isAtStart, scalar != "/" { throw fault(.missingSlash, at: start) }
                isAtStart = false
                elements.append(try element(of: scalar, at: start))
            }
        }
        if let group = open.last { throw fault(.unterminatedGroup, at: group.position) }
        if isAtStart { throw fault(.missingSlash, at: 0) }
        return elements
    }

    private mutating func element(of scalar: Unicode.Scalar, at start: Int) throws(RoutePatternError) -> Element {
        switch scalar {
        case "/":
            return .slash(position: start)
        case ":", "*":
            return .capture(try capture(isWildcard: scalar == "*", at: start), position: start)
        case "(", ")", "[", "]", "+", "?", "!":
            throw fault(.reservedCharacter(scalar), at: start)
        default:
            position = start
            return .text(try literal(), position: start)
        }
    }

    /// Reads characters up to one that means something.
    private mutating func literal() throws(RoutePatternError) -> [UInt8] {
        var text: [UInt8] = []
        while position < scalars.count, !scalars[position].hasMeaning {
            if scalars[position] == "\\" {
                position += 1
                guard position < scalars.count else { throw fault(.missingEscapedCharacter, at: position - 1) }
            }
            text.append(utf8Of: scalars[position])
            position += 1
        }
        return text
    }

    private mutating func capture(isWildcard: Bool, at start: Int) throws(RoutePatternError) -> Int {
        let isQuoted = position < scalars.count && scalars[position] == "\""
        let name = isQuoted ? try quotedName() : identifier()
        guard !name.isEmpty else { throw fault(.missingName, at: start + 1) }
        guard !captures.contains(where: { $0.name == name }) else { throw fault(.repeatedName(name), at: start) }
        captures.append(CaptureName(name: name, isWildcard: isWildcard, isOptional: !open.isEmpty))
        return captures.count - 1
    }

    private mutating func quotedName() throws(RoutePatternError) -> String {
        let quote = position
        var name: [UInt8] = []
        position += 1
        while position < scalars.count, scalars[position] != "\"" {
            if scalars[position] == "\\" { position += 1 }
            guard position < scalars.count else { break }
            name.append(utf8Of: scalars[position])
            position += 1
        }
        guard position < scalars.count else { throw fault(.unterminatedQuote, at: quote) }
        position += 1
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func identifier() -> String {
        var name: [UInt8] = []
        while position < scalars.count {
            let scalar = scalars[position]
            guard name.isEmpty ? scalar.startsIdentifier : scalar.continuesIdentifier else { break }
            name.append(utf8Of: scalar)
            position += 1
        }
        return String(decoding: name, as: UTF8.self)
    }

    private func fault(_ reason: RoutePatternError.Reason, at position: Int) -> RoutePatternError {
        RoutePatternError(reason: reason, position: position, pattern: text)
    }
}

extension Unicode.Scalar {
    /// Whether it means something in a pattern, so that text ends before it; a `\` is part of a text.
    fileprivate var hasMeaning: Bool {
        switch self {
        case "/", ":", "*", "{", "}", "(", ")", "[", "]", "+", "?", "!": true
        default: false
        }
    }

    /// Whether a JavaScript identifier can start with it.
    fileprivate var startsIdentifier: Bool {
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
