package import XCallbackRouter

/// A route as a list of segments, matched by exhaustive search: the oracle for a table.
package struct NaiveRoute {
    /// A segment.
    package enum Part {
        /// A literal.
        case text(String)
        /// A capture of one segment, or of a part of it, with its name and type.
        case parameter(String, CaptureType?)
        /// A capture of one or more segments, with its name and type.
        case wildcard(String, CaptureType?)
    }

    /// A match.
    struct Match {
        /// The specificity of each segment.
        let ranks: [[Int]]
        /// The captured segments by name.
        let captures: [String: [String]]
    }

    private let segments: [[Part]]
    /// The segments in an optional group; empty if none.
    private let group: Range<Int>

    /// Creates a route of up to three segments.
    ///
    /// - Parameter below: Chooses a number from 0 up to a bound.
    package init(choosing below: (Int) -> Int) {
        let forms = ["t", "t", "c", "c", "w", "tc", "ct", "tw", "wt", "ctc", "ctw", "wtc", "wtw", "tctct", "ctctw"]
        let texts = ["a", "b", "-", "a-", "ab", "1", "--"]
        let types: [CaptureType] = [.int, .word, .flag, .day]
        var nameCount = 0
        segments = (0..<below(4)).map { _ -> [Part] in
            let isTyped = below(3) == 0
            return forms[below(forms.count)].map { kind in
                if kind == "t" { return .text(texts[below(texts.count)]) }
                nameCount += 1
                let type = isTyped ? types[below(types.count)] : nil
                return kind == "w" ? .wildcard("w\(nameCount)", type) : .parameter("p\(nameCount)", type)
            }
        }
        let start = below(segments.count + 1)
        group = start..<start + below(segments.count - start + 1)
    }

    /// The written pattern.
    package var pattern: String {
        var text = ""
        for (index, segment) in segments.enumerated() {
            if group.first == index { text += "{" }
            text += "/" + segment.map(\.pattern).joined()
            if group.last == index { text += "}" }
        }
        return text.isEmpty ? "/" : text
    }

    /// The declared types of the captures.
    package var types: [String: CaptureType] {
        var types: [String: CaptureType] = [:]
        for case .some(let (name, type)) in segments.joined().map(\.capture) { types[name] = type }
        return types
    }

    /// Returns an action that may match, with values for all captures.
    ///
    /// - Parameters:
    ///   - pieces: The values of captures: one or two of these each.
    ///   - generator: The source of choices.
    /// - Returns: The segments of the action.
    package func action(of pieces: [String], using generator: inout some RandomNumberGenerator) -> [String] {
        let isWithGroup = Bool.random(using: &generator)
        var action: [String] = []
        for (index, segment) in segments.enumerated() where isWithGroup || !group.contains(index) {
            action.append("")
            for part in segment {
                if case .text(let text) = part {
                    action[action.count - 1] += text
                    continue
                }
                for _ in 0...Int.random(in: 0...1, using: &generator) {
                    if case .wildcard = part, action.last?.isEmpty == false, Bool.random(using: &generator) {
                        action.append("")
                    }
                    action[action.count - 1] += pieces.randomElement(using: &generator) ?? ""
                }
            }
        }
        return action
    }

    /// Returns the best match among the alternatives.
    func match(_ action: [String]) -> Match? {
        var alternatives = [segments]
        if !group.isEmpty { alternatives.append(Array(segments[..<group.lowerBound] + segments[group.upperBound...])) }
        let matches = alternatives.compactMap { alternative in
            Self.captures(of: alternative[...], in: action[...]).map {
                Match(ranks: alternative.map(Self.rank), captures: $0)
            }
        }
        return matches.reduce(nil) { best, match in
            guard let best, !Self.precedes(match.ranks, best.ranks) else { return match }
            return best
        }
    }

    /// Whether a match is more specific than another, by the ranks of the segments.
    static func precedes(_ left: [[Int]], _ right: [[Int]]) -> Bool {
        for (first, second) in zip(left, right) where first != second { return first.lexicographicallyPrecedes(second) }
        return left.count > right.count
    }

    private static func rank(_ segment: [Part]) -> [Int] {
        let texts = segment.compactMap { if case .text(let text) = $0 { text.utf8.count } else { nil } }.reduce(0, +)
        let captures = segment.compactMap(\.capture)
        guard !captures.isEmpty else { return [0, 0, 0, 0] }
        let wildcards = segment.count { if case .wildcard = $0 { true } else { false } }
        let types = wildcards > 1 ? 0 : captures.count { $0.1 != nil }
        return [texts > 0 ? 1 : wildcards == 0 ? 2 : 3, -texts, min(wildcards, 1), -types]
    }

    private static func captures(of segments: ArraySlice<[Part]>, in action: ArraySlice<String>) -> [String: [String]]?
    {
        guard let segment = segments.first else { return action.isEmpty ? [:] : nil }
        let isWild = segment.contains { if case .wildcard = $0 { true } else { false } }
        for count in (1...max(1, isWild ? action.count : 1)).reversed() where count <= action.count {
            let fits = divisions(of: segment[...], in: action.prefix(count).map { Array($0) }[...])
            guard let division = fits.first, accepts(segment, division),
                let rest = captures(of: segments.dropFirst(), in: action.dropFirst(count))
            else { continue }
            return division.merging(rest) { first, _ in first }
        }
        return nil
    }

    private static func accepts(_ segment: [Part], _ division: [String: [String]]) -> Bool {
        let wildcards = segment.count { if case .wildcard = $0 { true } else { false } }
        return segment.compactMap(\.capture).allSatisfy { name, type in
            guard let type, wildcards < 2 else { return true }
            return (division[name] ?? []).allSatisfy { type.accepts(Array($0.utf8).span) }
        }
    }

    /// Returns all divisions of segments, the preferred one first: a parameter takes as little as possible before the first
    /// wildcard; all other captures take as much as possible, from left to right.
    private static func divisions(
        of parts: ArraySlice<Part>, in rest: ArraySlice<[Character]>, isBehindWildcard: Bool = false
    ) -> [[String: [String]]] {
        guard let part = parts.first else { return rest.count == 1 && rest.first == [] ? [[:]] : [] }
        guard let current = rest.first else { return [] }
        let later = parts.dropFirst()
        guard let (name, _) = part.capture else {
            guard case .text(let text) = part, current.starts(with: text) else { return [] }
            let left = ([Array(current.dropFirst(text.count))] + rest.dropFirst())[...]
            return divisions(of: later, in: left, isBehindWildcard: isBehindWildcard)
        }
        let isWildcard = if case .wildcard = part { true } else { false }
        let isWildcardAhead = later.contains { if case .wildcard = $0 { true } else { false } }
        let isShort = !isWildcard && isWildcardAhead && !isBehindWildcard
        let lengths = Array(0..<current.count).map { isShort ? $0 + 1 : current.count - $0 }
        let here = lengths.flatMap { length in
            let left = ([Array(current.dropFirst(length))] + rest.dropFirst())[...]
            return divisions(of: later, in: left, isBehindWildcard: isBehindWildcard || isWildcard).map {
                $0.merging([name: [String(current.prefix(length))]]) { first, _ in first }
            }
        }
        guard isWildcard, !current.isEmpty, rest.count > 1 else { return here }
        let further = divisions(of: parts, in: rest.dropFirst(), isBehindWildcard: isBehindWildcard).map {
            $0.merging([name: [String(current)]]) { later, first in first + later }
        }
        return further + here
    }
}

extension NaiveRoute.Part {
    fileprivate var capture: (String, CaptureType?)? {
        switch self {
        case .text: nil
        case .parameter(let name, let type), .wildcard(let name, let type): (name, type)
        }
    }

    fileprivate var pattern: String {
        switch self {
        case .text(let text): text
        case .parameter(let name, _): ":\"\(name)\""
        case .wildcard(let name, _): "*\"\(name)\""
        }
    }
}
