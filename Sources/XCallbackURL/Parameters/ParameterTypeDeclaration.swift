/// The declaration of a parameter type, with the names of the configuration.
///
/// The keys are `type`, `of` and `values`; the short form `id: int` declares only the name.
package struct ParameterTypeDeclaration: Hashable, Sendable {
    /// The name under `type`, one of ``ParameterType/names``; `string` by default.
    package var name = "string"
    /// The name under `of`: the type of a list's elements; `string` by default.
    package var elementName: String?
    /// The texts under `values`, for an enumeration or a list of one.
    package var values: [String]?

    /// Creates a declaration; its parts need not be valid.
    package init(name: String = "string", elementName: String? = nil, values: [String]? = nil) {
        self.name = name
        self.elementName = elementName
        self.values = values
    }

    /// Whether the parameter has several values.
    package var isList: Bool { name == "list" }

    /// The type of the parameter, or of each element of a list; `nil` exactly if there are ``inconsistencies()``.
    package var type: ParameterType? {
        guard inconsistencies().isEmpty else { return nil }
        return typeName == "enum" ? .enumeration(values ?? []) : ParameterType(name: typeName)
    }

    /// Lists the contradictions of the declaration, in the order of its keys.
    package func inconsistencies() -> [ParameterRuleInconsistency] {
        var found: [ParameterRuleInconsistency] = []
        if !ParameterType.names.contains(name) {
            found.append(.init(key: "type", message: "unknown type '\(name)'"))
        }
        if let elementName {
            if !isList {
                found.append(.init(key: "of", message: "of is for lists only"))
            } else if elementName == "list" {
                found.append(.init(key: "of", message: "a list cannot hold lists"))
            } else if !ParameterType.names.contains(elementName) {
                found.append(.init(key: "of", message: "unknown type '\(elementName)'"))
            }
        }
        if typeName == "enum" {
            if values == nil || values == [] {
                found.append(.init(key: "values", message: "an enum needs at least one value"))
            } else if let repeated = repeatedValue {
                found.append(.init(key: "values", message: "the value '\(repeated)' is there twice"))
            }
        } else if values != nil {
            found.append(.init(key: "values", message: "values is for enum only"))
        }
        return found
    }

    /// The first value that is repeated.
    private var repeatedValue: String? {
        var known: Set<[UInt8]> = []
        return values?.first { !known.insert(Array($0.utf8)).inserted }
    }

    private var typeName: String { isList ? elementName ?? "string" : name }
}
