package import XCallbackURL

extension ParameterType {
    /// The facts about the type of a capture for the routing table.
    package var captureType: CaptureType {
        let isEnumeration = if case .enumeration = self { true } else { false }
        let traits = traits
        return CaptureType(
            name: isEnumeration ? routingName : traits.name, alphabet: traits.alphabet, examples: traits.inPaths,
            isEnumeration: isEnumeration
        ) { matches($0) }
    }
}
