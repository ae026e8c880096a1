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

    let items: QueryItems
    /// The texts of the items.
    private let bytes: [UInt8]
    private var nodes: [Node] = []
    /// The next item of the same name, for each item.
    private var nextItem: [Int]
    /// The children of all nodes by hash, where there are so many that searching would take long.
    private var table: [Int: [Int]] = [:]
    private let usesTable: Bool

    init(_ items: QueryItems) {
        self.items = items
        bytes = items.storage.bytes
        nextItem = Array(repeating: -1, count: items.count)
        usesTable = items.count > 32
        nodes.reserveCapacity(items.count + 1)
        nodes.append(Node(piece: 0..<0, hasEscapes: false, parent: -1))
        for index in items.indices { insert(index) }
    }

    /// The positions of the items that have the whole name of a node, in order.
    func itemIndices(of node: Int) -> [Int] {
        var indices: [Int] = []
        var index = nodes[node].firstItem
        while index >= 0 {
            indices.append(index)
            index = nextItem[index]
        }
        return indices
    }

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
    func children(of node: Int) -> [Int] {
        var children: [Int] = []
        var child = nodes[node].firstChild
        while child >= 0 {
            children.append(child)
            child = nodes[child].sibling
        }
        return children
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
        let range = items.entries[index].name
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
        if usesTable {
            let bytes = bytes
            table[hash(bytes.span.extracting(piece), parent), default: []].append(node)
        }
        return node
    }

    private func find(_ piece: Span<UInt8>, in parent: Int) -> Int? {
        if usesTable {
            return table[hash(piece, parent)]?.first { nodes[$0].parent == parent && has(piece, $0) }
        }
        // From the one after the last that was found, and round.
        let found = nodes[parent].foundChild
        let start = found < 0 ? nodes[parent].firstChild : nodes[found].sibling
        if let child = search(piece, parent, from: start, to: -1)
            ?? (found < 0 ? nil : search(piece, parent, from: nodes[parent].firstChild, to: start))
        {
            nodes[parent].foundChild = child
            return child
        }
        return nil
    }

    private func search(_ piece: Span<UInt8>, _ parent: Int, from start: Int, to end: Int) -> Int? {
        var child = start
        while child != end, child >= 0 {
            if has(piece, child) { return child }
            child = nodes[child].sibling
        }
        return nil
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
