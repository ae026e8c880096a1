import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Renames query parameters: `rename: { body: text }`.
struct RenameMiddleware: Middleware, ConfiguredStage {
    private struct Change {
        let name: [UInt8]
        let newName: [UInt8]
        /// Whether the new name is a list, so that items such as `name.0` belong to it.
        let isList: Bool
    }

    private let changes: [Change]

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("old and new names, such as { body: text }"),
            let members = node.members(of: "old and new names", source.faults)
        else { return nil }
        changes = members.compactMap { member in
            guard let newName = member.value.string(source.faults) else { return nil }
            for (name, place) in [(member.key, member.place), (newName, member.value.place)]
            where name.isEmpty || name.lowercased().hasPrefix("x-") {
                source.faults.report("a parameter cannot be called \(name.quoted)", at: place)
            }
            return Change(
                name: Array(member.key.utf8), newName: Array(newName.utf8), isList: source.route.isList(newName))
        }
        if members.isEmpty { source.faults.report("expected at least one name", at: node.place) }
    }

    func receive(_ request: inout Request, _ host: any StageHost) -> MiddlewareResult {
        request.parameters.rename { name in
            for change in changes {
                switch listPlace(of: name, in: change.name) {
                case .whole: return change.newName
                case .element where change.isList:
                    return change.newName + Array(copying: name.extracting(change.name.count..<name.count))
                default: continue
                }
            }
            return nil
        }
        return .proceed
    }
}
