import XCallbackURL

/// The reason why the captures of a pattern cannot have some values.
package enum PatternFillingError: Error, Hashable, Sendable {
    /// A required capture is missing.
    case missing(name: String)
    /// A capture is given without another one in the same group.
    case incomplete(name: String, without: String)
    /// A capture has no value, or an empty one.
    case empty(name: String)
    /// A parameter has several values.
    case several(name: String)
    /// A segment would be `.` or `..`, which are special in a path.
    case dotSegment(name: String)
    /// A capture of syntax `text` begins with `//`, or has a blank or a control character.
    case unwritable(name: String)
    /// The action would be read with other values.
    case ambiguous(names: [String])
}

extension RoutePattern {
    /// Returns the action whose captures have given values, as unencoded segments.
    ///
    /// A group is omitted if none of its captures is given. This pattern reads exactly these values from the action;
    /// however, another route may answer the same action.
    ///
    /// - Parameter values: The values by capture name; a parameter has one, and a wildcard has one for each segment.
    /// - Returns: The segments; empty for the root.
    /// - Throws: ``PatternFillingError``.
    package func segments(filledWith values: [(name: String, values: [String])]) throws(PatternFillingError) -> [String]
    {
        var given: [Int: [[UInt8]]] = [:]
        for (index, capture) in captures.enumerated() {
            let found = values.filter { $0.name.utf8.elementsEqual(capture.name.utf8) }
            if found.isEmpty { continue }
            let texts = found.flatMap(\.values).map { Array($0.utf8) }
            if texts.isEmpty || texts.contains(where: \.isEmpty) { throw .empty(name: capture.name) }
            if texts.count > 1, !capture.isWildcard { throw .several(name: capture.name) }
            if syntax == .text, texts.contains(where: { !isWritableText($0.span) }) {
                throw .unwritable(name: capture.name)
            }
            given[index] = texts
        }
        var segments: [[UInt8]] = []
        for segment in try alternative(with: Set(given.keys)) { segments += try fill(segment, given) }
        if !given.isEmpty, self.values(in: segments) != given {
            throw .ambiguous(names: given.keys.sorted().map { captures[$0].name })
        }
        return segments.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The texts and capture names of the pattern with all of its groups, in order.
    package var wordsOfFullest: [String] {
        (alternatives.first ?? []).joined().map { part in
            switch part {
            case .text(let text): String(decoding: text, as: UTF8.self)
            case .parameter(let capture), .wildcard(let capture): captures[capture].name
            }
        }
    }

    /// Returns the shortest alternative that has exactly the given captures.
    private func alternative(with given: Set<Int>) throws(PatternFillingError) -> [Segment] {
        let alternatives = alternatives
        let sets = alternatives.map { Set($0.joined().compactMap(\.capture)) }
        if let index = sets.lastIndex(of: given) { return alternatives[index] }
        for (index, capture) in captures.enumerated() where !capture.isOptional && !given.contains(index) {
            throw .missing(name: capture.name)
        }
        // The nearest one that has them all; the alternative with all groups always does.
        let nearest = sets.filter { given.isSubset(of: $0) }.min { $0.count < $1.count } ?? given
        let lonely = given.first { capture in
            !sets.contains { $0.contains(capture) && $0.isSubset(of: given) }
        }
        guard let missing = nearest.subtracting(given).min(), let lonely else { return alternatives[0] }
        throw .incomplete(name: captures[lonely].name, without: captures[missing].name)
    }

    /// Fills a segment of the pattern; a wildcard turns it into several segments.
    private func fill(_ segment: Segment, _ given: [Int: [[UInt8]]]) throws(PatternFillingError) -> [[UInt8]] {
        var segments: [[UInt8]] = [[]]
        let name = segment.lazy.compactMap(\.capture).first.map { captures[$0].name } ?? ""
        for part in segment {
            switch part {
            case .text(let text): segments[segments.count - 1] += text
            case .parameter(let capture), .wildcard(let capture):
                let texts = given[capture] ?? []
                for (index, text) in texts.enumerated() {
                    if index > 0 { segments.append([]) }
                    segments[segments.count - 1] += text
                }
            }
        }
        for segment in segments
        where syntax != .text && segment.count <= 2 && segment.allSatisfy({ $0 == UInt8(ascii: ".") }) {
            throw .dotSegment(name: name)
        }
        return segments
    }

    /// Returns the values that the pattern alone, without types, reads from an action; nil if it does not match.
    private func values(in segments: [[UInt8]]) -> [Int: [[UInt8]]]? {
        let (bytes, ranges) = joined(segments)
        var found: [Capture] = []
        let table = RoutingTable(RankedAlternatives([RoutingTable.Entry(pattern: self)]))
        guard table.match(bytes.span, segments: ranges.span, into: &found) != nil else { return nil }
        return found.reduce(into: [:]) { $0[$1.index, default: []].append(Array(bytes[$1.range])) }
    }
}

extension PatternFillingError: CustomStringConvertible {
    /// The fault, for people.
    package var description: String {
        switch self {
        case .missing(let name): "parameter '\(name)' is missing: the path needs it"
        case .incomplete(let name, let other): "parameter '\(name)' needs '\(other)' beside it in the path"
        case .empty(let name): "parameter '\(name)' is empty: it stands in the path, where nothing may be empty"
        case .several(let name): "parameter '\(name)' has several values, and has room for one in the path"
        case .dotSegment(let name): "parameter '\(name)' would be '.' or '..' in the path, which cannot carry that"
        case .unwritable(let name): "parameter '\(name)' must not begin with '//' or contain a blank or a control"
        case .ambiguous(let names):
            "the path would be read as other values of \(names.map { "'\($0)'" }.joined(separator: " and "))"
        }
    }
}

/// Returns the bytes of segments, one after another, and the place of each.
func joined(_ segments: [[UInt8]]) -> (bytes: [UInt8], ranges: [Range<Int>]) {
    var bytes: [UInt8] = []
    let ranges = segments.map { segment in
        bytes += segment
        return bytes.count - segment.count..<bytes.count
    }
    return (bytes, ranges)
}
