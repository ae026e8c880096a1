import XCallbackConfiguration
package import XCallbackRouter

/// What a user's daemon keeps of the requests that have ended: `history: { origins: [agent], keep: 30d }`, or `history: false`.
package struct HistorySettings: Hashable, Sendable {
    /// The origins whose requests are kept.
    package var origins = OriginSet.all
    /// How long an entry may stay; nil for as long as there is room.
    package var keep: Duration?

    /// Creates the default settings: all origins, without a limit of time.
    package init() {}

    /// Decodes the key of a configuration.
    init(_ node: Node, _ faults: FaultList) {
        self.init()
        if node.truth != nil {
            if node.bool(faults) == false { origins = [] }
            return
        }
        guard let reader = MappingReader(node, of: "the history", faults: faults) else { return }
        if let named = reader.node("origins")?.origins(faults) { origins = OriginSet(named.map(\.bit)) }
        keep = reader.duration("keep", in: .seconds(86_400)...Duration.seconds(3650 * 86_400))
        reader.finish()
    }
}
