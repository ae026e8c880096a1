import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL
import XCallbackWire

extension ReturnedItem {
    /// The maximum number of items that a route can declare.
    private static let limit = 64

    /// Decodes the items that the author of a route promises: names with types, as in `input`.
    ///
    /// - Parameters:
    ///   - members: The items.
    ///   - place: The place of the declaration.
    ///   - faults: Receives faults.
    /// - Returns: The items without faults.
    static func all(in members: [Node.Member], at place: Place, _ faults: FaultList) -> [ReturnedItem] {
        if members.count > limit {
            faults.report("expected at most \(limit) items, found \(members.count)", at: place)
        }
        return members.compactMap { ReturnedItem($0, faults) }
    }

    private init?(_ member: Node.Member, _ faults: FaultList) {
        self.init(name: member.key)
        if name.isEmpty || name.lowercased().hasPrefix("x-") {
            faults.report("an item of an answer cannot be called \(name.quoted)", at: member.place)
        }
        faults.reportHidden(in: name, "name", at: member.place)
        var declaration = ParameterTypeDeclaration()
        var places: [String: Place] = [:]
        switch member.value.content {
        case .scalar:
            guard let word = member.value.choice(of: ParameterType.names, faults) else { return nil }
            declaration.name = word
        default:
            guard let reader = MappingReader(member.value, of: "a returned item", faults: faults) else { return nil }
            declaration.name = reader.choice("type", of: ParameterType.names) ?? declaration.name
            declaration.elementName = reader.choice("of", of: ParameterType.names)
            declaration.values = reader.visibleStrings("values")
            isRequired = reader.bool("required") ?? true
            description = reader.description("description", limit: RouteDescription.parameterLimit)
            reader.finish()
            for key in ["type", "of", "values"] { places[key] = reader.keyPlace(key) }
        }
        for inconsistency in declaration.inconsistencies() {
            faults.report(inconsistency.message, at: places[inconsistency.key] ?? member.value.place)
        }
        guard let type = declaration.type else { return nil }
        self.type = type
        isList = declaration.isList
    }

    /// The item as JSON: `Parameter` of the interface.
    var json: JSONValue {
        let name = type?.name
        return [
            "name": .string(self.name), "place": .null, "type": .text(isList ? "list" : name),
            "of": .text(isList ? name : nil), "values": type?.valuesJSON ?? .null, "required": .bool(isRequired),
            "default": .null, "min": .null, "max": .null, "min_length": .null, "max_length": .null,
            "charset": .null, "schemes": .null, "description": .text(description),
        ]
    }
}

extension ParameterType {
    /// The values of an enumeration as JSON; null for any other type.
    var valuesJSON: JSONValue {
        if case .enumeration(let values) = self { .texts(values) } else { .null }
    }
}
