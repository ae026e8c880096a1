import XCallbackConfiguration

/// A list of stages, as one place of the configuration or another says it.
final class StageList<Stage> {
    /// Those that have no fault.
    let stages: [Stage]
    /// What the configuration calls them.
    let names: [String]
    /// A hash of what it says of them.
    let contentHash: Int
    /// Whether it is the same list wherever the configuration says it.
    let isShared: Bool

    init(_ stages: [(name: String, stage: Stage)], contentHash: Int, isShared: Bool) {
        self.stages = stages.map(\.stage)
        names = stages.map(\.name)
        self.contentHash = contentHash
        self.isShared = isShared
    }
}

/// Stages by what the configuration says of them.
struct StageCache<Part: AnyObject> {
    // One type of dictionary for all kinds of parts: the first use of each costs a load a hundred thousand instructions.
    private var parts: [StageText: AnyObject] = [:]

    /// What is said so.
    subscript(text: StageText) -> Part? {
        get { parts[text] as? Part }
        set { parts[text] = newValue }
    }
}

/// What the configuration says of a list of stages, or of one, which tells equal ones wherever they stand.
struct StageText: Hashable {
    /// The name of a handler; empty for a list.
    var name = ""
    let nodes: [Node]

    /// Whether these are the very same nodes.
    func isIdentical(to other: [Node]) -> Bool {
        nodes.elementsEqual(other) { $0.isIdentical(to: $1) }
    }

    static func == (left: Self, right: Self) -> Bool {
        left.name == right.name && left.nodes.elementsEqual(right.nodes) { $0.saysTheSame(as: $1) }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        for node in nodes { node.hashContent(into: &hasher) }
    }
}
