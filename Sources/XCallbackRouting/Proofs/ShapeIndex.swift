/// Finds those among many segments of patterns that could match the same text, by how they begin and end.
///
/// Two segments can have a text in common only if the text before the first capture of one begins that of the other,
/// and likewise the texts behind the last capture. So 10,000 routes are compared with few others each.
struct ShapeIndex {
    /// The members whose prefixes are the same: their numbers, by their suffixes.
    private struct Group {
        var bySuffix: [[UInt8]: [Int]] = [:]
        /// The suffixes, backwards and sorted: those that end in a text stand together.
        var suffixes: [[UInt8]] = []
        var suffixCounts: [Int] = []
    }

    private let shapes: [SegmentShape]
    /// The values of each member that has few, and is nothing else.
    private let values: [[String]?]
    /// The members that have.
    private let valued: [Int]
    /// The members with these values.
    private var byValue: [String: [Int]] = [:]
    private var groups: [[UInt8]: Group] = [:]
    /// How long the prefixes are.
    private let prefixCounts: [Int]

    /// Creates an index; members are named by their places in the list.
    init(_ shapes: [SegmentShape], _ types: [CaptureType]) {
        self.shapes = shapes
        values = shapes.map { $0.wholeType.flatMap { types[$0].values } }
        valued = shapes.indices.filter { [values] in values[$0] != nil }
        prefixCounts = Set(shapes.map(\.prefix.count)).sorted()
        for (number, shape) in shapes.enumerated() {
            if let values = values[number] {
                for value in values { byValue[value, default: []].append(number) }
                continue
            }
            groups[shape.prefix, default: Group()].bySuffix[shape.suffix, default: []].append(number)
        }
        for index in groups.indices {
            let suffixes = groups.values[index].bySuffix.keys
            groups.values[index].suffixCounts = Set(suffixes.map(\.count)).sorted()
            groups.values[index].suffixes = suffixes.map { [UInt8]($0.reversed()) }
                .sorted { $0.lexicographicallyPrecedes($1) }
        }
    }

    /// The members that could match the same text as a shape, and whose prefix begins its own, or is the same.
    private func members(beginning shape: SegmentShape, _ values: [String]?) -> [Int] {
        var members: [Int] = []
        if let values { members += Set(values.flatMap { byValue[$0] ?? [] }).sorted() }
        // The texts of such a shape are not looked at here: few others are as specific and have no text.
        if values == nil, shape.prefix.isEmpty, shape.suffix.isEmpty {
            members += valued
        }
        for count in prefixCounts.prefix(while: { $0 <= shape.prefix.count }) {
            guard let group = groups[Array(shape.prefix[..<count])] else { continue }
            for count in group.suffixCounts.prefix(while: { $0 < shape.suffix.count }) {
                members += group.bySuffix[Array(shape.suffix.suffix(count))] ?? []
            }
            let end = [UInt8](shape.suffix.reversed())
            var index = group.suffixes.partitioningIndex { !$0.lexicographicallyPrecedes(end) }
            while index < group.suffixes.count, group.suffixes[index].starts(with: end) {
                members += group.bySuffix[group.suffixes[index].reversed()] ?? []
                index += 1
            }
        }
        return members
    }

    /// The pairs of members, one of this index and one of another, that could match the same text.
    func pairs(with other: Self) -> [(Int, Int)] {
        var pairs: [(Int, Int)] = []
        for (number, shape) in other.shapes.enumerated() {
            for member in members(beginning: shape, other.values[number]) { pairs.append((member, number)) }
        }
        for (number, shape) in shapes.enumerated() {
            let members = other.members(beginning: shape, values[number])
            for member in members where other.shapes[member].prefix != shape.prefix { pairs.append((number, member)) }
        }
        return pairs
    }

    /// The pairs of different members that could match the same text, each once.
    func pairs() -> [(Int, Int)] {
        var pairs: [(Int, Int)] = []
        for (number, shape) in shapes.enumerated() {
            for member in members(beginning: shape, values[number]) {
                // Of the same prefix, both are found from either.
                if shapes[member].prefix == shape.prefix ? member < number : true { pairs.append((member, number)) }
            }
        }
        return pairs
    }
}

extension SegmentShape {
    /// The text before the first capture; all of it if there is none.
    fileprivate var prefix: [UInt8] { pieces.first?.text ?? suffix }
}

extension [[UInt8]] {
    /// The first index whose element satisfies a condition that all later ones satisfy, too.
    fileprivate func partitioningIndex(where isLater: ([UInt8]) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isLater(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
