import XCallbackURL

extension Route {
    /// Identifies the route within a configuration, and across reloads.
    package var identity: String { Self.identity(name: name, pattern: pattern, input: stages.input) }

    /// Identifies a route within a configuration: its name and the types of its captures, because routes can differ
    /// only in these types.
    ///
    /// - Parameters:
    ///   - name: The scheme and the pattern.
    ///   - pattern: The pattern.
    ///   - input: The declared parameters.
    /// - Returns: A text that no other route of a configuration has.
    package static func identity(name: String, pattern: RoutePattern, input: Input) -> String {
        if input.declarations.isEmpty { return name }
        let types = pattern.captures.map { capture in
            input.declarations.first(named: capture.name)?.rule.type ?? .string
        }
        return types.allSatisfy { $0 == .string } ? name : "\(name) \(types.map(\.routingName))"
    }
}

extension ParameterType {
    /// A name that is equal only for equal types; that of an enumeration contains its values.
    var routingName: String {
        guard case .enumeration(let values) = self else { return name }
        return "\(name) \(values)"
    }
}
