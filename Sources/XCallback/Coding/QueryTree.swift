import XCallbackBytes
import XCallbackURL

/// Items by the keys in their names: `a.b=1` lies under `b`, which lies under `a`.
final class QueryTree {
    /// A key, and what has it.
    private struct Node {
        /// The piece of a name, as it was written.
        let piece: Range<Int>
        let hasEscapes: Bool
        let parent: Int
        var firstChild = -1
        var lastChild = -1
        var sibling = -1
        var firstItem = -1
        var lastItem = -1
        /// The child that was found last: the next one that is asked for often follows it.
        var foundChild = -1
    }

    /// The number of the node that holds all others.
    static let root = 0

    /// The items themselves.
    let items: QueryItems
    /// The texts of the items.
    let bytes: [UInt8]
    /// The items.
    let entries: [QueryItems.Entry]
    let itemCount: Int
    /// Whether raw commas part the elements of a list.
    let splitsAtCommas: Bool
    private var nodes: [Node] = []
    /// The next item of the same name, for each item.
    private var nextItem: [Int]
    /// The nodes by hash, each in the first free slot from there, where there are so many that searching would take long;
    /// 0 for a free slot, as the root is no child.
    private var slots: [Int32] = []
    private let usesSlots: Bool

    init(_ items: QueryItems, splitsAtCommas: Bool) {
        self.splitsAtCommas = splitsAtCommas
        self.items = items
        bytes = items.storage.bytes
        entries = items.entries.elements
        itemCount = items.count
        nextItem = Array(repeating: -1, count: itemCount)
        usesSlots = itemCount > 32
        if usesSlots { slots = Array(repeating: 0, count: 128) }
        nodes.reserveCapacity(itemCount + 1)
        nodes.append(Node(piece: 0..<0, hasEscapes: false, parent: -1))
        for index in 0..<itemCount { insert(index) }
    }

    /// The positions of the items that have the whole name of a node, in order.
    func itemIndices(of node: Int) -> [Int] { chain(from: nodes[node].firstItem) { nextItem[$0] } }

    /// The only item that has the whole name of a node; nil for none or many.
    func onlyItem(of node: Int) -> Int? {
        let first = nodes[node].firstItem
        return first >= 0 && first == nodes[node].lastItem ? first : nil
    }

    /// Whether an item has the whole name of a node.
    func hasItems(_ node: Int) -> Bool { nodes[node].firstItem >= 0 }

    /// Whether names go on after a node.
    func hasChildren(_ node: Int) -> Bool { nodes[node].firstChild >= 0 }

    /// The nodes under a node, in the order in which they first occur.
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

    /// The key of a node.
    func key(of node: Int) -> String {
        let bytes = bytes
        let piece = bytes.span.extracting(nodes[node].piece)
        return nodes[node].hasEscapes ? String(decoding: NamePath.unescaped(piece), as: UTF8.self) : String(utf8: piece)
    }

    /// The node with a key under a node; nil if there is none.
    func child(of node: Int, _ key: String) -> Int? {
        let escaped = NamePath.escaped(key)
        if let child = find(escaped.utf8.span, in: node) { return child }
        // Other writers know no escapes: their `a.b` may be one key, whose full stop they took for any character.
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
        // Nothing deeper is ever read.
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
            // Lists repeat a name, and values are asked for in the order in which they were written.
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

    /// Puts a node into its slot; at least half of them stay free.
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
