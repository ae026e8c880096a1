/// Finds pairs among many segments of patterns that could match the same text, by the texts in them.
///
/// A byte that no capture of two segments can contain occurs in a common text as often as in the texts of either
/// segment, and in the same order: it splits both into pieces that must match each other. Two pieces can match the same
/// text only if the text before the first capture of one is a prefix of that of the other, and likewise for the texts
/// after the last capture. So each of 10,000 routes is compared with only a few others.
struct ShapeIndex {
    private let shapes: [SegmentShape]
    /// The values of each member that is a single capture with few values; nil for the others.
    private let values: [[String]?]
    /// The members with values.
    private let valued: [Int]
    /// The members with each value.
    private var byValue: [String: [Int]] = [:]
    /// The other members, grouped by the bytes that their captures can contain.
    private var families: [(alphabet: ByteSet, members: [Int])] = []

    /// Creates an index; members are identified by their positions in the list.
    init(_ shapes: [SegmentShape], _ types: [CaptureType]) {
        self.shapes = shapes
        values = shapes.map { $0.wholeType.flatMap { types[$0].values } }
        valued = shapes.indices.filter { [values] in values[$0] != nil }
        var alphabets: [Int: ByteSet] = [:]
        var numbers: [ByteSet: Int] = [:]
        for (number, shape) in shapes.enumerated() {
            if let values = values[number] {
                for value in values { byValue[value, default: []].append(number) }
                continue
            }
            let alphabet = shape.pieces.reduce(ByteSet()) { bytes, piece in
                guard let type = piece.type else { return .all }
                let own = alphabets[type] ?? types[type].language.alphabet
                alphabets[type] = own
                return bytes.union(own)
            }
            if let family = numbers[alphabet] {
                families[family].members.append(number)
            } else {
                numbers[alphabet] = families.count
                families.append((alphabet, [number]))
            }
        }
    }

    /// Returns the pairs of a member of this index and one of another that could match the same text, in order.
    func pairs(with other: Self) -> [(Int, Int)] {
        var pairs: [(Int, Int)] = []
        for number in other.valued {
            let common = Set((other.values[number] ?? []).flatMap { byValue[$0] ?? [] })
            pairs += (common + withoutText).map { ($0, number) }
        }
        for number in valued { pairs += other.withoutText.map { (number, $0) } }
        for family in families {
            for otherFamily in other.families { pairs += Self.pairs(of: family, self, otherFamily, other) }
        }
        return pairs.sorted { $0 < $1 }
    }

    /// Returns the pairs of different members that could match the same text, each once, in order.
    func pairs() -> [(Int, Int)] {
        var pairs: [(Int, Int)] = []
        for number in valued {
            let common = Set((values[number] ?? []).flatMap { byValue[$0] ?? [] })
            pairs += common.filter { $0 < number }.map { ($0, number) } + withoutText.map { ($0, number) }
        }
        for (position, family) in families.enumerated() {
            pairs += Self.pairs(of: family, self, family, self).filter { $0.0 < $0.1 }
            for other in families[(position + 1)...] { pairs += Self.pairs(of: family, self, other, self) }
        }
        return pairs.sorted { $0 < $1 }
    }

    /// The members with neither few values nor a text; few others are as specific as those with values.
    private var withoutText: [Int] {
        families.flatMap(\.members).filter { shapes[$0].suffix.isEmpty && shapes[$0].pieces.allSatisfy(\.text.isEmpty) }
    }

    private static func pairs(
        of family: (alphabet: ByteSet, members: [Int]), _ index: Self,
        _ otherFamily: (alphabet: ByteSet, members: [Int]), _ otherIndex: Self
    ) -> [(Int, Int)] {
        let alphabet = family.alphabet.union(otherFamily.alphabet)
        func parted(_ members: [Int], of index: Self) -> [[UInt8]: [(number: Int, parts: [SegmentPart])]] {
            var parted: [[UInt8]: [(number: Int, parts: [SegmentPart])]] = [:]
            for number in members {
                let (separators, parts) = index.shapes[number].parted(outside: alphabet)
                parted[separators, default: []].append((number, parts))
            }
            return parted
        }
        let others = parted(otherFamily.members, of: otherIndex)
        var pairs: [(Int, Int)] = []
        for (separators, members) in parted(family.members, of: index) {
            guard let others = others[separators] else { continue }
            // The most varied part distinguishes most members.
            let part = (0...separators.count).max {
                Set(members.map(\.parts[$0])).count < Set(members.map(\.parts[$1])).count
            }
            let ends = PartIndex(members.map { $0.parts[part ?? 0] })
            for other in others {
                for place in ends.places(meeting: other.parts[part ?? 0]) {
                    pairs.append((members[place].number, other.number))
                }
            }
        }
        return pairs
    }
}

/// A part of a segment, reduced to the texts at its ends.
private struct SegmentPart: Hashable {
    /// The text before the first capture; the whole text if there is none.
    var prefix: [UInt8]
    /// The text after the last capture; the whole text if there is none.
    var suffix: [UInt8]
}

/// Finds parts that could match the same text, by their prefixes and suffixes.
private struct PartIndex {
    /// The parts with the same prefix: their positions, by suffix.
    private struct Group {
        var bySuffix: [[UInt8]: [Int]] = [:]
        /// The reversed suffixes, sorted: those with a common ending are adjacent.
        var suffixes: [[UInt8]] = []
        var suffixCounts: [Int] = []
    }

    private var groups: [[UInt8]: Group] = [:]
    /// The prefixes, sorted: those with a common beginning are adjacent.
    private let prefixes: [[UInt8]]
    /// The lengths of the prefixes.
    private let prefixCounts: [Int]

    init(_ parts: [SegmentPart]) {
        for (place, part) in parts.enumerated() {
            groups[part.prefix, default: Group()].bySuffix[part.suffix, default: []].append(place)
        }
        for index in groups.indices {
            let suffixes = groups.values[index].bySuffix.keys
            groups.values[index].suffixCounts = Set(suffixes.map(\.count)).sorted()
            groups.values[index].suffixes = suffixes.map { [UInt8]($0.reversed()) }
                .sorted { $0.lexicographicallyPrecedes($1) }
        }
        prefixes = groups.keys.sorted { $0.lexicographicallyPrecedes($1) }
        prefixCounts = Set(prefixes.map(\.count)).sorted()
    }

    /// Returns the positions of the parts that could match the same text as a part.
    func places(meeting part: SegmentPart) -> [Int] {
        var places: [Int] = []
        for count in prefixCounts.prefix(while: { $0 < part.prefix.count }) {
            guard let group = groups[Array(part.prefix[..<count])] else { continue }
            places += Self.places(in: group, endingAs: part.suffix)
        }
        for prefix in prefixes.beginning(with: part.prefix) {
            if let group = groups[prefix] { places += Self.places(in: group, endingAs: part.suffix) }
        }
        return places
    }

    private static func places(in group: Group, endingAs suffix: [UInt8]) -> [Int] {
        var places: [Int] = []
        for count in group.suffixCounts.prefix(while: { $0 < suffix.count }) {
            places += group.bySuffix[Array(suffix.suffix(count))] ?? []
        }
        for suffix in group.suffixes.beginning(with: suffix.reversed()) {
            places += group.bySuffix[suffix.reversed()] ?? []
        }
        return places
    }
}

extension SegmentShape {
    /// Splits the shape at the bytes of its texts that are not in an alphabet; returns these bytes and the parts.
    fileprivate func parted(outside alphabet: ByteSet) -> (separators: [UInt8], parts: [SegmentPart]) {
        var separators: [UInt8] = []
        var parts: [SegmentPart] = []
        /// The text before the first capture of the part; nil before the first capture.
        var prefix: [UInt8]?
        var text: [UInt8] = []
        func add(_ bytes: [UInt8]) {
            for byte in bytes {
                if alphabet.contains(byte) {
                    text.append(byte)
                    continue
                }
                separators.append(byte)
                parts.append(SegmentPart(prefix: prefix ?? text, suffix: text))
                (prefix, text) = (nil, [])
            }
        }
        for piece in pieces {
            add(piece.text)
            prefix = prefix ?? text
            text = []
        }
        add(suffix)
        parts.append(SegmentPart(prefix: prefix ?? text, suffix: text))
        return (separators, parts)
    }
}

extension TextLanguage {
    /// The bytes of the language's texts.
    var alphabet: ByteSet {
        switch self {
        case .byte(let bytes): bytes
        case .sequence(let parts), .choice(let parts): parts.reduce(ByteSet()) { $0.union($1.alphabet) }
        case .repetition(let part, _, _): part.alphabet
        }
    }
}

extension [[UInt8]] {
    /// Returns the sorted texts that begin with a text.
    fileprivate func beginning(with text: [UInt8]) -> ArraySlice<[UInt8]> {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].lexicographicallyPrecedes(text) { low = middle + 1 } else { high = middle }
        }
        return self[low...].prefix { $0.starts(with: text) }
    }
}
