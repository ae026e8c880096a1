import XCallbackConfiguration
import XCallbackWire

/// The effect of an action, as its author declares it: `effect: read`, or
/// `effect: { kind: add, idempotent: true, open-world: false }`.
///
/// The words are those of tool annotations in the Model Context Protocol.
struct Effect: Hashable {
    /// The effect on existing data.
    enum Kind: String, CaseIterable {
        /// Nothing changes.
        case read
        /// Nothing is lost.
        case add
        /// Something may be lost.
        case change
    }

    private var kind = Kind.change
    /// Whether a repeated request has no further effect.
    private var isIdempotent = false
    /// Whether the action reaches beyond this machine.
    private var isOpenWorld = true

    /// Whether the action only reads.
    var changesNothing: Bool { kind == .read }

    init?(_ node: Node, _ faults: FaultList) {
        if case .mapping = node.content {
            guard let reader = MappingReader(node, of: "an effect", faults: faults) else { return nil }
            kind = reader.choice("kind", of: Kind.self) ?? kind
            isIdempotent = reader.bool("idempotent") ?? isIdempotent
            isOpenWorld = reader.bool("open-world") ?? isOpenWorld
            reader.finish()
        } else {
            guard let kind = node.choice(of: Kind.self, faults) else { return nil }
            self.kind = kind
        }
    }

    /// The effect as JSON: `Effect` of the interface.
    var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "idempotent": .bool(isIdempotent), "open_world": .bool(isOpenWorld),
        ]
    }
}
