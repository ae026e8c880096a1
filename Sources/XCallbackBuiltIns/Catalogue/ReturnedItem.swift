import XCallbackConfiguration
import XCallbackJSON
import XCallbackURL

/// An item that a success of a route has.
struct ReturnedItem: Hashable {
    /// Its name.
    let name: String
    /// What its values are; nil if that is not known.
    var type: ParameterType?
    /// Whether it may be there several times.
    var isList = false
    /// Whether it always is there.
    var isRequired = true
    /// What it means.
    var description: String?
}

extension ReturnedItem {
    /// How many items a route may declare.
    private static let limit = 64

    /// Decodes what a route returns, as its author promises: names with types, as `input` is written.
    ///
    /// - Parameters:
    ///   - members: The items.
    ///   - place: Where they are declared.
    ///   - faults: Where faults are reported.
    /// - Returns: The items, without those that have a fault.
    static func all(in members: Node.Members, at place: Place, _ faults: FaultList) -> [ReturnedItem] {
        if members.count > limit {
            faults.report("expected at most \(limit) items, found \(members.count)", at: place)
        }
        return members.compactMap { ReturnedItem($0, faults) }
    }

    private init?(_ member: Node.Member, _ faults: FaultList) {
        name = member.key
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
            for key in ["type", "of", "values"] { places[key] = reader.keyPlace(named: key) }
        }
        for inconsistency in declaration.inconsistencies() {
            faults.report(inconsistency.message, at: places[inconsistency.key] ?? member.value.place)
        }
        guard let type = declaration.type else { return nil }
        self.type = type
        isList = declaration.isList
    }

    /// The item for programs: `Parameter` of the interface.
    var json: JSONValue {
        let name = type?.name
        return [
            "name": .string(self.name), "place": .null, "type": .text(isList ? "list" : name),
            "of": .text(isList ? name : nil), "values": type?.valuesJSON ?? .null, "required": .bool(isRequired),
            "default": .null, "min": .null, "max": .null, "min_length": .null, "max_length": .null,
            "charset": .null, "description": .text(description),
        ]
    }
}

extension ParameterType {
    /// The values of an enumeration for programs; null for any other type.
    var valuesJSON: JSONValue {
        if case .enumeration(let values) = self { .texts(values) } else { .null }
    }
}
