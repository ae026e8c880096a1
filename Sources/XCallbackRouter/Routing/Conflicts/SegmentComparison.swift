/// Determines whether segments of two patterns can match the same segments of an action.
///
/// The answer is never wrongly negative. It is exact for segments that are only text or only a capture.
struct SegmentComparison {
    /// The maximum number of states of a comparison; beyond it, the answer is positive.
    private static let stateLimit = 1 << 16

    let types: [CaptureType]

    /// Whether two alternatives can match the same action.
    func meet(_ one: [SegmentShape], _ other: [SegmentShape]) -> Bool {
        Paths(one).meet(Paths(other), Self.stateLimit) { meet($0, $1) }
    }

    /// Whether two shapes can match the same single segment; a wildcard is a parameter.
    private func meet(_ one: SegmentShape, _ other: SegmentShape) -> Bool {
        if one.hasSameTexts(as: other) {
            // The texts alone divide a segment, so that the captures are the same.
            return zip(one.pieces, other.pieces).allSatisfy { overlap($0.type, $1.type) }
        }
        if one.isLiteral && other.isLiteral { return false }
        if let type = one.wholeType, other.isLiteral { return types[type].accepts(other.suffix.span) }
        if let type = other.wholeType, one.isLiteral { return types[type].accepts(one.suffix.span) }
        return Paths(one).meet(Paths(other), Self.stateLimit) { meet($0, $1) }
    }

    /// Whether two types have a common text.
    private func overlap(_ one: Int?, _ other: Int?) -> Bool {
        guard let one, let other, one != other else { return true }
        return commonText(of: one, other) != nil
    }

    /// A text of two types.
    private func commonText(of one: Int, _ other: Int) -> String? {
        types[one].examples.first { types[other].accepts($0.utf8.span) }
            ?? types[other].examples.first { types[one].accepts($0.utf8.span) }
    }

    /// Whether two parts of segments have a common byte.
    private func meet(_ one: BytePart, _ other: BytePart) -> Bool {
        switch (one, other) {
        case (.byte(let byte), .byte(let otherByte)): byte == otherByte
        case (.byte(let byte), .capture(let type)), (.capture(let type), .byte(let byte)): contains(byte, type)
        case (.capture(let type), .capture(let otherType)):
            alphabet(type).map { $0.contains { contains($0, otherType) } } ?? true
        }
    }

    private func contains(_ byte: UInt8, _ type: Int?) -> Bool { alphabet(type)?.contains(byte) ?? true }

    private func alphabet(_ type: Int?) -> String.UTF8View? {
        guard let type = type.map({ types[$0] }) else { return nil }
        return (type.isEnumeration ? type.examples.joined() : type.alphabet)?.utf8
    }

    // MARK: - Examples

    /// Returns an action that both alternatives may match, with one segment for each wildcard.
    func example(_ one: [SegmentShape], _ other: [SegmentShape]) -> [[UInt8]] {
        zip(one, other).map { $0.isLiteral ? $0.suffix : example($0, $1) }
    }

    private func example(_ one: SegmentShape, _ other: SegmentShape) -> [UInt8] {
        if one.hasSameTexts(as: other) {
            return zip(one.pieces, other.pieces).reduce([]) { $0 + $1.0.text + filler($1.0.type, $1.1.type) }
                + one.suffix
        }
        let prefix = [one, other].map { $0.pieces.first?.text ?? [] }.max { $0.count < $1.count } ?? []
        let suffix = [one, other].map(\.suffix).max { $0.count < $1.count } ?? []
        return prefix + filler(one.pieces.first?.type, other.pieces.first?.type) + suffix
    }

    /// A text for captures of two segments.
    private func filler(_ one: Int?, _ other: Int?) -> [UInt8] {
        let text =
            if let one, let other, one != other {
                commonText(of: one, other)
            } else {
                (one ?? other).flatMap { types[$0].examples.first }
            }
        return Array((text ?? "a").utf8)
    }
}

/// The ways through a pattern or through a segment: from each state, steps over an element to other states.
private struct Paths<Element> {
    private var steps: [[(element: Element, target: Int)]] = [[]]
    /// The last state, in which the pattern or the segment is complete.
    private var end = 0

    private mutating func addState() -> Int {
        steps.append([])
        return steps.count - 1
    }

    private mutating func add(_ element: Element, isRepeated: Bool) {
        let next = addState()
        steps[end].append((element, next))
        if isRepeated { steps[next].append((element, next)) }
        end = next
    }

    /// Whether the elements of a way through each of two can meet in pairs; also if there are too many states.
    func meet(_ other: Self, _ limit: Int, _ elementsMeet: (Element, Element) -> Bool) -> Bool {
        let width = other.steps.count
        guard steps.count * width <= limit else { return true }
        var isKnown = Array(repeating: false, count: steps.count * width)
        var open = [0]
        while let state = open.popLast() {
            let (own, others) = (state / width, state % width)
            if own == end, others == other.end { return true }
            for step in steps[own] {
                for otherStep in other.steps[others] {
                    let next = step.target * width + otherStep.target
                    guard !isKnown[next], elementsMeet(step.element, otherStep.element) else { continue }
                    isKnown[next] = true
                    open.append(next)
                }
            }
        }
        return false
    }
}

extension Paths<SegmentShape> {
    /// The segments of an alternative; a wildcard with text can be in one segment, or begin in one and end in another.
    init(_ segments: [SegmentShape]) {
        for shape in segments {
            let start = end
            add(shape, isRepeated: shape.isWholeWildcard)
            guard !shape.isWholeWildcard, let first = shape.pieces.firstIndex(where: \.isWildcard),
                let last = shape.pieces.lastIndex(where: \.isWildcard)
            else { continue }
            let middle = addState()
            let wildcard = SegmentShape.Piece(text: [], isWildcard: true, type: shape.pieces[last].type)
            let ending = [wildcard] + shape.pieces[(last + 1)...]
            steps[start].append((SegmentShape(pieces: Array(shape.pieces[...first]), suffix: []), middle))
            steps[middle].append((SegmentShape(pieces: [wildcard], suffix: []), middle))
            steps[middle].append((SegmentShape(pieces: ending, suffix: shape.suffix), end))
        }
    }
}

/// A part of a segment: a byte of text, or a byte of a capture with a type.
private enum BytePart {
    case byte(UInt8)
    case capture(type: Int?)
}

extension Paths<BytePart> {
    init(_ shape: SegmentShape) {
        for piece in shape.pieces {
            for byte in piece.text { add(.byte(byte), isRepeated: false) }
            add(.capture(type: piece.type), isRepeated: true)
        }
        for byte in shape.suffix { add(.byte(byte), isRepeated: false) }
    }
}

extension SegmentShape {
    /// The type of the single capture that is the whole segment.
    fileprivate var wholeType: Int? {
        pieces.count == 1 && pieces[0].text.isEmpty && suffix.isEmpty ? pieces[0].type : nil
    }

    /// Whether two shapes differ at most in types.
    fileprivate func hasSameTexts(as other: Self) -> Bool {
        suffix == other.suffix && pieces.count == other.pieces.count
            && zip(pieces, other.pieces).allSatisfy { $0.text == $1.text && $0.isWildcard == $1.isWildcard }
    }
}
