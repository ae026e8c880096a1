/// Writes a pattern's optional groups out into alternatives, and divides these into segments.
struct PatternExpansion {
    typealias Element = PatternParser.Element

    let pattern: String
    let captures: [CaptureName]

    /// Makes the alternatives: with a group before without it, earlier groups deciding first.
    func alternatives(of elements: [Element]) throws(RoutePatternError) -> [[RoutePattern.Segment]] {
        let hasGroups = elements.contains { if case .group = $0 { true } else { false } }
        guard hasGroups else { return [try segments(of: elements)] }
        var alternatives: [[RoutePattern.Segment]] = []
        var known: Set<[RoutePattern.Segment]> = []
        for sequence in try sequences(of: elements) {
            let segments = try segments(of: sequence)
            if known.insert(segments).inserted { alternatives.append(segments) }
        }
        return alternatives
    }

    private func sequences(of elements: [Element]) throws(RoutePatternError) -> [[Element]] {
        var sequences: [[Element]] = [[]]
        for element in elements {
            guard case .group(let members) = element else {
                for index in sequences.indices { sequences[index].append(element) }
                continue
            }
            let included = try self.sequences(of: members)
            // Both factors are within the limit, so the product cannot overflow.
            guard sequences.count * (included.count + 1) <= RoutePattern.alternativeLimit else {
                throw fault(.tooManyAlternatives, at: 0)
            }
            sequences = sequences.flatMap { before in included.map { before + $0 } + [before] }
        }
        return sequences
    }

    private func segments(of sequence: [Element]) throws(RoutePatternError) -> [RoutePattern.Segment] {
        var division = SegmentDivision(segmentCount: sequence.count / 2 + 1)
        for (index, element) in sequence.enumerated() {
            switch element {
            case .slash(let position):
                if index > 0 {
                    guard !division.isEmpty else { throw fault(.emptySegment, at: position) }
                    try end(&division)
                }
            case .text(let text, let position):
                division.append(text, at: position)
            case .capture(let capture, let position):
                guard !division.endsInCapture else {
                    throw fault(.missingText(before: captures[capture].name), at: position)
                }
                division.append(captures[capture].isWildcard ? .wildcard(capture) : .parameter(capture), at: position)
            case .group:
                break
            }
        }
        if !division.isEmpty { try end(&division) }
        return division.segments
    }

    private func end(_ division: inout SegmentDivision) throws(RoutePatternError) {
        let start = division.start
        division.endSegment()
        guard !division.endsInDotSegment else { throw fault(.dotSegment, at: start) }
        guard division.segments.count <= RoutePattern.segmentLimit else { throw fault(.tooManySegments, at: start) }
    }

    private func fault(_ reason: RoutePatternError.Reason, at position: Int) -> RoutePatternError {
        RoutePatternError(reason, at: position, of: pattern)
    }
}

/// The segments of an alternative while they are collected.
private struct SegmentDivision {
    private(set) var segments: [RoutePattern.Segment] = []
    /// Where the segment being collected starts in the pattern.
    private(set) var start = 0
    private var parts: RoutePattern.Segment = []
    private var text: [UInt8] = []

    /// Creates an empty division with room for a number of segments.
    init(segmentCount: Int) {
        segments.reserveCapacity(segmentCount)
    }

    var isEmpty: Bool { parts.isEmpty && text.isEmpty }

    /// Whether a capture stands last in the segment being collected.
    var endsInCapture: Bool { text.isEmpty && !parts.isEmpty }

    /// Whether the last segment is `.` or `..`.
    var endsInDotSegment: Bool {
        guard let last = segments.last, last.count == 1, case .text(let text) = last[0] else { return false }
        return text.count <= 2 && text.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    mutating func append(_ text: [UInt8], at position: Int) {
        if isEmpty { start = position }
        self.text = self.text.isEmpty ? text : self.text + text
    }

    mutating func append(_ capture: RoutePattern.Part, at position: Int) {
        if isEmpty { start = position }
        endText()
        parts.append(capture)
    }

    mutating func endSegment() {
        endText()
        segments.append(parts)
        parts = []
    }

    private mutating func endText() {
        guard !text.isEmpty else { return }
        parts.append(.text(text))
        text = []
    }
}
