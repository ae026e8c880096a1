import XCallbackBytes
import XCallbackURL

/// Items by the keys in their names: `a.b=1` is under `b`, which is under `a`.
final class QueryTree {
    /// A key, with its items and children.
    private struct Node {
        /// The component of a name, as written.
        let piece: Range<Int>
        let hasEscapes: Bool
        let parent: Int
        var firstChild = -1
        var lastChild = -1
        var sibling = -1
        var firstItem = -1
        var lastItem = -1
        /// The child that was found last: the next request is often for its successor.
        var foundChild = -1
    }

    /// The index of the root node.
    static let root = 0

    /// The items.
    let items: QueryItems
    /// The texts of the items.
    let bytes: [UInt8]
    /// The entries of the items.
    let entries: [QueryItems.Entry]
    let itemCount: Int
    /// Whether raw commas separate the elements of a list.
    let splitsAtCommas: Bool
    private var nodes: [Node] = []
    /// For each item, the next item with the same name.
    private var nextItem: [Int]
    /// A hash table of the nodes with linear probing, used only for many items; 0 marks a free slot, because the root
    /// is not a child.
    private var slots: [Int32] = []
    private let usesSlots: Bool

    init(_ items: QueryItems, splitsAtCommas: Bool) {
        self.splitsAtCommas = splitsAtCommas
        self.items = items
        bytes = items.storage.bytes
        entries = items.entries
        itemCount = items.count
        nextItem = Array(repeating: -1, count: itemCount)
        usesSlots = itemCount > 32
        if usesSlots { slots = Array(repeating: 0, count: 128) }
        nodes.reserveCapacity(itemCount + 1)
        nodes.append(Node(piece: 0..<0, hasEscapes: false, parent: -1))
        for index in 0..<itemCount { insert(index) }
    }

    /// Returns the indices of the items whose complete name is that of a node, in order.
    func itemIndices(of node: Int) -> [Int] { chain(from: nodes[node].firstItem) { nextItem[$0] } }

    /// Returns the only item whose complete name is that of a node; nil if there are none or several.
    func onlyItem(of node: Int) -> Int? {
        let first = nodes[node].firstItem
        return first >= 0 && first == nodes[node].lastItem ? first : nil
    }

    /// Whether an item has the complete name of a node.
    func hasItems(_ node: Int) -> Bool { nodes[node].firstItem >= 0 }

    /// Whether a node has children.
    func hasChildren(_ node: Int) -> Bool { nodes[node].firstChild >= 0 }

    /// Returns the children of a node, in the order of their first occurrence.
    func children(of node: Int) -> [Int] { chain(from: nodes[node].firstChild) { nodes[$0].sibling } }

    private func chain(from first: Int, _ next: (Int) -> Int) -> [Int] {
        var members: [Int] = []
        var member = first
        while member >= 0 {
            members.append(member)
            member = next(member)
        }
        return members
    }

    /// Returns the key of a node.
    func key(of node: Int) -> String {
        let bytes = bytes
        let piece = bytes.span.extracting(nodes[node].piece)
        return nodes[node].hasEscapes ? String(decoding: NamePath.unescaped(piece), as: UTF8.self) : String(utf8: piece)
    }

    /// Returns the child of a node with a key; nil if there is none.
    func child(of node: Int, _ key: String) -> Int? {
        let escaped = NamePath.escaped(key)
        if let child = find(escaped.utf8.span, in: node) { return child }
        // Other programs do not escape keys: their `a.b` may be a single key that contains a full stop.
        guard escaped.utf8.count != key.utf8.count else { return nil }
        var node = node
        for piece in key.utf8.split(separator: NamePath.separator, omittingEmptySubsequences: false) {
            guard let child = find(Array(piece).span, in: node) else { return nil }
            node = child
        }
        return node
    }

    private func insert(_ index: Int) {
        let range = entries[index].name
        let bytes = bytes
        let name = bytes.span.extracting(range)
        var node = Self.root
        var start = 0
        // Deeper levels are never decoded.
        for _ in 0...QueryStyle.depthLimit {
            let (end, hasEscapes) = NamePath.endOfPiece(in: name, from: start)
            let piece = name.extracting(start..<end)
            let place = range.lowerBound + start..<range.lowerBound + end
            node = find(piece, in: node) ?? append(place, hasEscapes, to: node)
            if end == name.count { return give(index, to: node) }
            start = end + 1
        }
    }

    private func give(_ item: Int, to node: Int) {
        if nodes[node].firstItem < 0 { nodes[node].firstItem = item } else { nextItem[nodes[node].lastItem] = item }
        nodes[node].lastItem = item
    }

    private func append(_ piece: Range<Int>, _ hasEscapes: Bool, to parent: Int) -> Int {
        let node = nodes.count
        nodes.append(Node(piece: piece, hasEscapes: hasEscapes, parent: parent))
        if nodes[parent].firstChild < 0 {
            nodes[parent].firstChild = node
        } else {
            nodes[nodes[parent].lastChild].sibling = node
        }
        nodes[parent].lastChild = node
        nodes[parent].foundChild = node
        if usesSlots { occupy(node) }
        return node
    }

    private func find(_ piece: Span<UInt8>, in parent: Int) -> Int? {
        let found = nodes[parent].foundChild
        if found >= 0 {
            // Lists repeat a name, and values are usually decoded in the order in which they were encoded.
            if has(piece, found) { return found }
            let next = nodes[found].sibling
            if next >= 0, has(piece, next) {
                nodes[parent].foundChild = next
                return next
            }
        }
        guard let child = usesSlots ? lookUp(piece, in: parent) : search(piece, parent) else { return nil }
        nodes[parent].foundChild = child
        return child
    }

    private func search(_ piece: Span<UInt8>, _ parent: Int) -> Int? {
        var child = nodes[parent].firstChild
        while child >= 0 {
            if has(piece, child) { return child }
            child = nodes[child].sibling
        }
        return nil
    }

    private func lookUp(_ piece: Span<UInt8>, in parent: Int) -> Int? {
        var slot = hash(piece, parent)
        while true {
            let node = Int(slots[slot & (slots.count - 1)])
            if node == 0 { return nil }
            if nodes[node].parent == parent, has(piece, node) { return node }
            slot &+= 1
        }
    }

    /// Stores a node in its slot; at least half of the slots stay free.
    private func occupy(_ node: Int) {
        guard nodes.count * 2 > slots.count else { return put(node) }
        slots = Array(repeating: 0, count: slots.count * 4)
        for node in 1..<nodes.count { put(node) }
    }

    private func put(_ node: Int) {
        let bytes = bytes
        var slot = hash(bytes.span.extracting(nodes[node].piece), nodes[node].parent)
        while slots[slot & (slots.count - 1)] != 0 { slot &+= 1 }
        slots[slot & (slots.count - 1)] = Int32(truncatingIfNeeded: node)
    }

    private func has(_ piece: Span<UInt8>, _ node: Int) -> Bool {
        let bytes = bytes
        return areEqual(bytes.span.extracting(nodes[node].piece), piece)
    }

    private func hash(_ piece: Span<UInt8>, _ parent: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(parent)
        piece.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}
