/// Expands a pattern's optional groups into alternatives, and splits these into segments.
struct PatternExpansion {
    private typealias Token = PatternParser.Token

    private let pattern: String
    private var parser: PatternParser
    private var segments: PatternSegments
    private var segmentCount = 0
    /// Whether the alternative is still empty.
    private var isAtStart = true
    /// The start of the current segment in the pattern.
    private var start = 0

    private init(_ pattern: String) {
        self.pattern = pattern
        parser = PatternParser(pattern)
        segments = PatternSegments(byteCount: pattern.utf8.count)
    }

    /// Parses a pattern and creates its alternatives: those with a group precede those without it, and earlier groups
    /// decide first.
    static func expand(
        _ pattern: String
    ) throws(RoutePatternError) -> (segments: PatternSegments, captures: [CaptureName]) {
        var expansion = Self(pattern)
        let bytes = pattern.utf8.span
        if bytes.indices.contains(where: { bytes[$0] == UInt8(ascii: "{") }) {
            try expansion.expandGroups(in: bytes)
        } else {
            while let token = try expansion.parser.next(in: bytes) { try expansion.append(token, bytes) }
            try expansion.endAlternative()
        }
        return (expansion.segments, expansion.parser.captures)
    }

    private mutating func expandGroups(in bytes: Span<UInt8>) throws(RoutePatternError) {
        var tokens: [Token] = []
        while let token = try parser.next(in: bytes) { tokens.append(token) }
        var known: Set<[RoutePattern.Segment]> = []
        for sequence in try sequences(of: tokens[...]) {
            let start = segments.end
            for token in sequence { try append(token, bytes) }
            try endAlternative()
            var position = start
            let isNew = known.insert(segments.readAlternative(at: &position)).inserted
            if !isNew { segments.remove(from: start) }
        }
    }

    private func sequences(of tokens: ArraySlice<Token>) throws(RoutePatternError) -> [[Token]] {
        var sequences: [[Token]] = [[]]
        var index = tokens.startIndex
        while index < tokens.endIndex {
            guard case .groupStart = tokens[index].kind else {
                for sequence in sequences.indices { sequences[sequence].append(tokens[index]) }
                index += 1
                continue
            }
            let end = Self.end(ofGroupAt: index, in: tokens)
            let included = try self.sequences(of: tokens[index + 1..<end])
            // Both factors are within the limit, so the product cannot overflow.
            guard sequences.count * (included.count + 1) <= RoutePattern.alternativeLimit else {
                throw fault(.tooManyAlternatives, at: 0)
            }
            sequences = sequences.flatMap { before in included.map { before + $0 } + [before] }
            index = end + 1
        }
        return sequences
    }

    private static func end(ofGroupAt start: Int, in tokens: ArraySlice<Token>) -> Int {
        var (index, depth) = (start, 0)
        while true {
            switch tokens[index].kind {
            case .groupStart: depth += 1
            case .groupEnd: depth -= 1
            case .slash, .text, .capture: break
            }
            if depth == 0 { return index }
            index += 1
        }
    }

    /// Appends a token to the alternative.
    private mutating func append(_ token: Token, _ bytes: Span<UInt8>) throws(RoutePatternError) {
        switch token.kind {
        case .slash:
            if !isAtStart {
                guard !segments.isSegmentEmpty else { throw fault(.emptySegment, at: token.position) }
                try endSegment()
            }
        case .text(let range):
            if segments.isSegmentEmpty { start = token.position }
            segments.append(text: bytes.extracting(range))
        case .capture(let capture):
            let name = parser.captures[capture]
            guard !segments.endsInCapture else { throw fault(.missingText(before: name.name), at: token.position) }
            if segments.isSegmentEmpty { start = token.position }
            segments.append(name.isWildcard ? .wildcard(Int32(capture)) : .parameter(Int32(capture)))
        case .groupStart, .groupEnd:
            break
        }
        isAtStart = false
    }

    private mutating func endSegment() throws(RoutePatternError) {
        guard !segments.endsInDots else { throw fault(.dotSegment, at: start) }
        segments.append(.segmentEnd)
        segmentCount += 1
        guard segmentCount <= RoutePattern.segmentLimit else { throw fault(.tooManySegments, at: start) }
    }

    private mutating func endAlternative() throws(RoutePatternError) {
        if !segments.isSegmentEmpty { try endSegment() }
        segments.append(.alternativeEnd)
        segmentCount = 0
        isAtStart = true
    }

    private func fault(_ reason: RoutePatternError.Reason, at position: Int) -> RoutePatternError {
        RoutePatternError(reason, at: position, of: pattern)
    }
}
