package import XCallbackRouting
import XCallbackURL

extension Route {
    /// What tells the route from the others of a configuration, and is the same after a reload.
    package var identity: String { Self.identity(name: name, pattern: pattern, input: stages.input) }

    /// What tells a route from the others of a configuration: its name, and with it the types of its captures, as routes
    /// that differ in these alone may stand beside one another.
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
        return types.allSatisfy { $0 == .string } ? name : "\(name) \(list(types.map(\.routingName)))"
    }
}

extension ParameterType {
    /// A name that is the same for equal types only; an enumeration is told by its values.
    var routingName: String {
        guard case .enumeration(let values) = self else { return name }
        return "\(name) \(list(values))"
    }
}

/// Texts as an array of Swift shows them, so that each can be told; that itself would look for all that a text can be.
private func list(_ texts: [String]) -> String {
    var list = ""
    for text in texts {
        list += list.isEmpty ? "[\"" : ", \""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { list += "\\" }
            list.unicodeScalars.append(scalar)
        }
        list += "\""
    }
    return list + "]"
}

/// A hash that is the same in every run (FNV-1a), so that what is kept under it outlives a reload.
package func stableHash(_ text: String) -> UInt64 {
    var (text, hash) = (text, 0xCBF2_9CE4_8422_2325 as UInt64)
    text.withUTF8 { for byte in $0 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 } }
    return hash
}
