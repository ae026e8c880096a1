import XCallbackConfiguration
import XCallbackPipeline

/// A list of stages, as one place of the configuration or another says it.
final class StageList<Stage: Sendable> {
    /// Those that have no fault.
    let stages: [NamedStage<Stage>]
    /// What they claim, with their names.
    let claims: [(name: String, claim: StageClaim)]
    /// A hash of what it says of them.
    let contentHash: Int
    /// Whether it is the same list wherever the configuration says it.
    let isShared: Bool

    init(
        _ stages: [NamedStage<Stage>], claims: [(name: String, claim: StageClaim)], contentHash: Int, isShared: Bool
    ) {
        self.stages = stages
        self.claims = claims
        self.contentHash = contentHash
        self.isShared = isShared
    }
}

/// Stages by what the configuration says of them.
struct StageCache<Part: AnyObject> {
    private static var fewParts: Int { 8 }

    // One type for all kinds of parts: the first use of each costs a load ten thousand instructions, and that of a type
    // of dictionary a hundred thousand.
    private var few: [(text: StageText, part: AnyObject)] = []
    /// Those that are too many to look through.
    private var others: [StageText: AnyObject] = [:]

    /// What is said so, if it is known.
    subscript(text: StageText) -> Part? {
        for index in few.indices where few[index].text == text { return few[index].part as? Part }
        return others.isEmpty ? nil : others[text] as? Part
    }

    /// Adds what is not known yet.
    mutating func add(_ part: Part, for text: StageText) {
        if few.count < Self.fewParts { few.append((text, part)) } else { others[text] = part }
    }
}

/// What the configuration says of a list of stages, or of one, which tells equal ones wherever they stand.
enum StageText: Hashable {
    /// A list of stages.
    case list([Node])
    /// A handler with its settings.
    case handler(String, Node)

    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.list(let nodes), .list(let others)): nodes.elementsEqual(others) { $0.saysTheSame(as: $1) }
        case (.handler(let name, let node), .handler(let otherName, let other)):
            name == otherName && node.saysTheSame(as: other)
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .list(let nodes): for node in nodes { node.hashContent(into: &hasher) }
        case .handler(let name, let node):
            hasher.combine(name)
            node.hashContent(into: &hasher)
        }
    }
}
