import XCallbackLinux

/// The user and the groups that a service runs with.
struct ServiceAccount {
    /// The name of the user, or the number.
    let name: String
    let rights: FileRights

    /// The properties of a unit that tell it.
    static let keys = ["User", "Group", "SupplementaryGroups"]

    /// Finds the account of a service of the system; nil if its names are not known here.
    ///
    /// - Parameter unit: What the service manager says of it.
    init?(_ unit: ManagedUnit) {
        func property(_ name: String) -> String? { unit[name].isEmpty ? nil : unit[name] }
        name = property("User") ?? "root"
        guard let userID = UInt32(name) ?? UserDatabase.userID(named: name),
            let own = UserDatabase.groupIDs(of: userID)
        else { return nil }
        let named = property("Group")
        let others = (property("SupplementaryGroups") ?? "").split(separator: " ").map(String.init)
        var groupIDs: [UInt32] = []
        for name in (named.map { [$0] } ?? []) + others {
            guard let groupID = UInt32(name) ?? UserDatabase.groupID(named: name) else { return nil }
            groupIDs.append(groupID)
        }
        // Another primary group stands in the place of the user's own.
        rights = FileRights(userID: userID, groupIDs: named == nil ? own + groupIDs : groupIDs + own.dropFirst())
    }
}
