import XCallbackConfiguration
import XCallbackPipeline

/// A list of stages as written in the configuration, possibly in several places.
final class StageList<Stage: Sendable> {
    /// The stages without faults.
    let stages: [NamedStage<Stage>]
    /// The claims of the stages, with the stages' names.
    let claims: [(name: String, claim: StageClaim)]
    /// A hash of the configuration's text.
    let contentHash: Int
    /// Whether equal text elsewhere in the configuration decodes to the same list.
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

/// Decoded parts, by their text in the configuration.
struct StageCache<Part: AnyObject> {
    private static var fewParts: Int { 8 }

    // A single type for all kinds of parts: the first use of each type costs a load ten thousand instructions, and that
    // of a dictionary type a hundred thousand.
    private var few: [(text: StageText, part: AnyObject)] = []
    /// The parts that do not fit into the linear list.
    private var others: [StageText: AnyObject] = [:]

    /// The part for a text, if it is in the cache.
    subscript(text: StageText) -> Part? {
        for index in few.indices where few[index].text == text { return few[index].part as? Part }
        return others.isEmpty ? nil : others[text] as? Part
    }

    /// Adds a part that is not in the cache yet.
    mutating func add(_ part: Part, for text: StageText) {
        if few.count < Self.fewParts { few.append((text, part)) } else { others[text] = part }
    }
}

/// The text of a list of stages, or of a handler; texts are equal regardless of their places.
enum StageText: Hashable {
    /// A list of stages.
    case list([Node])
    /// A handler and its settings.
    case handler(String, Node)

    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.list(let nodes), .list(let others)): nodes.elementsEqual(others) { $0.hasEqualContent(to: $1) }
        case (.handler(let name, let node), .handler(let otherName, let other)):
            name == otherName && node.hasEqualContent(to: other)
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
