/// Finds the few among many edges of a node that can match a segment, by the texts at the segment's ends.
///
/// The results only may match, so each edge is tried anyway. The texts come from the configuration, so clients cannot
/// make entries collide.
struct EdgeIndex: Sendable {
    /// Equally specific edges of a node, if there are many.
    struct Group: Sendable {
        let forms: Range<Int>
        /// The range of the edges without a form in ``EdgeIndex/others``.
        let others: Range<Int>
        /// The index after the last edge.
        let end: Int
    }

    /// The part of a segment by which edges are found.
    enum Form: Hashable, Sendable {
        /// The whole segment.
        case whole
        /// A number of bytes at the start and at the end; the end of a wildcard is in another segment.
        case ends(prefix: Int, suffix: Int)
    }

    private struct Slot: Sendable {
        /// The form of the edge, or -1 if the slot is free.
        var form: Int32 = -1
        var edge: Int32 = 0
        var hash: UInt64 = 0
    }

    /// The maximum number of equally specific edges without an index.
    static let fewEdges = 8

    private(set) var groups: [Group] = []
    private(set) var forms: [Form] = []
    private(set) var others: [Int32] = []
    private var slots: [Slot] = Array(repeating: Slot(), count: 8)
    private var count = 0

    /// Adds equally specific edges of a node.
    ///
    /// - Parameters:
    ///   - shapes: The shapes of the edges, in order.
    ///   - types: The types that the shapes refer to.
    ///   - first: The index of the first edge.
    /// - Returns: The number of the new group.
    mutating func add(_ shapes: [SegmentShape], _ types: [CaptureType], first: Int) -> Int {
        var numbers: [Form: Int] = [:]
        let (firstForm, firstOther) = (forms.count, others.count)
        for (position, shape) in shapes.enumerated() {
            let (form, keys) = Self.keys(of: shape, types)
            guard let form else {
                others.append(Int32(first + position))
                continue
            }
            let number = numbers[form] ?? forms.count
            if number == forms.count {
                numbers[form] = number
                forms.append(form)
            }
            for key in keys {
                insert(Self.hash(key.span, key.span.extracting(0..<0)), form: number, edge: first + position)
            }
        }
        let end = first + shapes.count
        groups.append(Group(forms: firstForm..<forms.count, others: firstOther..<others.count, end: end))
        return groups.count - 1
    }

    /// Returns the form of a shape, and its keys.
    private static func keys(of shape: SegmentShape, _ types: [CaptureType]) -> (form: Form?, keys: [[UInt8]]) {
        guard let piece = shape.pieces.first else { return (nil, []) }
        let suffix = shape.hasWildcard ? [] : shape.suffix
        if !piece.text.isEmpty || !suffix.isEmpty {
            return (.ends(prefix: piece.text.count, suffix: suffix.count), [piece.text + suffix])
        }
        guard shape.pieces.count == 1, !piece.isWildcard, let values = piece.type.flatMap({ types[$0].values }) else {
            return (nil, [])
        }
        return (.whole, values.map { Array($0.utf8) })
    }

    private mutating func insert(_ hash: UInt64, form: Int, edge: Int) {
        count += 1
        if count * 2 > slots.count {
            let old = slots
            slots = Array(repeating: Slot(), count: slots.count * 2)
            for slot in old where slot.form >= 0 { place(slot) }
        }
        place(Slot(form: Int32(form), edge: Int32(edge), hash: hash))
    }

    private mutating func place(_ slot: Slot) {
        var index = start(slot.hash, form: Int(slot.form))
        while slots[index].form >= 0 { index = (index + 1) & (slots.count - 1) }
        slots[index] = slot
    }

    /// Calls a function with each edge that a form of a segment finds.
    @inline(__always)
    func forEachEdge(ofForm form: Int, _ segment: Span<UInt8>, _ body: (Int) -> Void) {
        let hash: UInt64
        switch forms[form] {
        case .whole: hash = Self.hash(segment, segment.extracting(0..<0))
        case .ends(let prefix, let suffix):
            guard segment.count > prefix + suffix else { return }
            hash = Self.hash(segment.extracting(..<prefix), segment.extracting((segment.count - suffix)...))
        }
        var index = start(hash, form: form)
        while slots[index].form >= 0 {
            if slots[index].hash == hash, slots[index].form == form { body(Int(slots[index].edge)) }
            index = (index + 1) & (slots.count - 1)
        }
    }

    private func start(_ hash: UInt64, form: Int) -> Int {
        let product = (hash ^ UInt64(form) << 32) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product >> 33) & (slots.count - 1)
    }

    /// Returns a combined hash of two texts.
    private static func hash(_ first: Span<UInt8>, _ second: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in first.indices { hash = (hash ^ UInt64(first[index])) &* 0x0000_0100_0000_01B3 }
        for index in second.indices { hash = (hash ^ UInt64(second[index])) &* 0x0000_0100_0000_01B3 }
        return hash ^ hash >> 32
    }
}
