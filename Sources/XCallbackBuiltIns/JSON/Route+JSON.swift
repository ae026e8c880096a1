package import XCallbackJSON
package import XCallbackPipeline
import XCallbackRouting

extension Route {
    /// The names of all policies, in the order in which they are asked.
    package var policyNames: [String] { stages.policies.map(\.name) + stages.asyncPolicies.map(\.name) }

    /// The pattern as it is written, with the prefixes of its groups.
    package var patternText: String { pattern.text }

    /// The route for programs.
    ///
    /// - Parameter showsPlace: Whether its place in the configuration is shown.
    /// - Returns: An object.
    package func json(showsPlace: Bool = true) -> JSONValue {
        [
            "route": .string(name), "scheme": .string(scheme), "pattern": .string(patternText),
            "public": .bool(isPublic),
            "middleware": .texts(stages.middleware.map(\.name)), "policies": .texts(policyNames),
            "handler": .string(stages.handler.name), "place": .text(showsPlace ? place : nil),
        ]
    }
}
