import XCallbackConfiguration
import XCallbackPipeline

extension CallbackRules {
    /// Decodes the list `callbacks: { allow: … }`; without a list, everything that is not dangerous is allowed.
    init(_ schemes: [SchemeSettings], _ reader: MappingReader?) {
        var allowed: [Allowed]?
        if let reader {
            allowed = reader.node("allow")?.elements.compactMap { Allowed($0, reader.faults) }
            reader.finish()
        }
        self.init(schemes, allowed: allowed)
    }
}

extension CallbackRules.Allowed {
    /// Decodes an element of the list; reports an invalid one.
    fileprivate init?(_ node: Node, _ faults: FaultList) {
        guard let text = node.string(faults) else { return nil }
        if let allowed = Self(text) {
            self = allowed
            if case .scheme = allowed, Self.isHost(text) {
                faults.warn(
                    "\(text.quoted) is a scheme here: a web site is written 'https://\(text.lowercased())'",
                    at: node.place)
            }
            return
        }
        faults.report("\(text.quoted) cannot be allowed: \(Self.reason(against: text))", at: node.place)
        return nil
    }
}
