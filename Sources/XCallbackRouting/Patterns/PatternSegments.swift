/// The segments of a pattern's alternatives, in order, in two flat arrays.
///
/// A configuration can have thousands of patterns, most of which are only used to build a table. Less frequent code
/// uses ``alternatives``.
struct PatternSegments: Hashable, Sendable {
    /// A part of a segment, or the end of a segment or an alternative.
    enum Element: Hashable, Sendable {
        /// The number of bytes of text, which are next in ``PatternSegments/texts``.
        case text(Int32)
        /// A parameter, as an index into the captures of the pattern.
        case parameter(Int32)
        /// A wildcard, as an index into the captures of the pattern.
        case wildcard(Int32)
        case segmentEnd
        case alternativeEnd
    }

    /// A position in both arrays.
    struct Position: Hashable, Sendable {
        var element: Int
        var text: Int
    }

    private(set) var elements: [Element] = []
    private(set) var texts: [UInt8] = []

    /// Creates an empty list with capacity for a pattern with a number of bytes.
    init(byteCount: Int) {
        // Most patterns have at most three segments.
        elements.reserveCapacity(8)
        texts.reserveCapacity(byteCount)
    }

    /// Creates the list of alternatives.
    init(_ alternatives: [[RoutePattern.Segment]]) {
        for segments in alternatives { append(segments) }
    }

    /// The start of the first alternative.
    static var start: Position { Position(element: 0, text: 0) }

    /// The end of the last alternative.
    var end: Position { Position(element: elements.count, text: texts.count) }

    /// The alternatives as nested arrays.
    var alternatives: [[RoutePattern.Segment]] {
        var (alternatives, position) = ([[RoutePattern.Segment]](), Self.start)
        while position != end { alternatives.append(readAlternative(at: &position)) }
        return alternatives
    }

    /// Returns the range of the text at the start of a segment in ``texts``; empty if the segment starts with a
    /// capture.
    func textRange(at position: Position) -> Range<Int> {
        guard case .text(let count) = elements[position.element] else { return position.text..<position.text }
        return position.text..<position.text + Int(count)
    }

    /// Returns the segments of an alternative, and moves the position to the next alternative.
    func readAlternative(at position: inout Position) -> [RoutePattern.Segment] {
        var segments: [RoutePattern.Segment] = []
        var segment: RoutePattern.Segment = []
        while true {
            let element = elements[position.element]
            position.element += 1
            switch element {
            case .text(let count):
                segment.append(.text(Array(texts[position.text..<position.text + Int(count)])))
                position.text += Int(count)
            case .parameter(let capture): segment.append(.parameter(Int(capture)))
            case .wildcard(let capture): segment.append(.wildcard(Int(capture)))
            case .segmentEnd:
                segments.append(segment)
                segment = []
            case .alternativeEnd: return segments
            }
        }
    }
}

// MARK: - Building

extension PatternSegments {
    /// Whether the last segment is empty.
    var isSegmentEmpty: Bool {
        switch elements.last {
        case .text, .parameter, .wildcard: false
        case .segmentEnd, .alternativeEnd, nil: true
        }
    }

    /// Whether the last part is a capture.
    var endsInCapture: Bool {
        switch elements.last {
        case .parameter, .wildcard: true
        case .text, .segmentEnd, .alternativeEnd, nil: false
        }
    }

    /// Whether the last, still open segment is `.` or `..`.
    var endsInDots: Bool {
        guard case .text(let count)? = elements.last, count <= 2,
            texts.suffix(Int(count)).allSatisfy({ $0 == UInt8(ascii: ".") })
        else { return false }
        switch elements.dropLast().last {
        case .text, .parameter, .wildcard: return false
        case .segmentEnd, .alternativeEnd, nil: return true
        }
    }

    /// Adds text to the last segment.
    mutating func append(text: Span<UInt8>) {
        guard !text.isEmpty else { return }
        text.withUnsafeBufferPointer { texts.append(contentsOf: $0) }
        if case .text(let count)? = elements.last {
            elements[elements.count - 1] = .text(count + Int32(text.count))
        } else {
            elements.append(.text(Int32(text.count)))
        }
    }

    /// Adds a capture, or the end of a segment or an alternative.
    mutating func append(_ element: Element) { elements.append(element) }

    /// Removes everything from a position on.
    mutating func remove(from position: Position) {
        elements.removeSubrange(position.element...)
        texts.removeSubrange(position.text...)
    }

    /// Adds an alternative.
    mutating func append(_ segments: [RoutePattern.Segment]) {
        for segment in segments {
            for part in segment {
                switch part {
                case .text(let bytes): append(text: bytes.span)
                case .parameter(let capture): append(.parameter(Int32(capture)))
                case .wildcard(let capture): append(.wildcard(Int32(capture)))
                }
            }
            append(.segmentEnd)
        }
        append(.alternativeEnd)
    }
}
