import XCallbackLinux

/// The user and the groups that a service runs with.
struct ServiceAccount {
    /// The name of the user, or the user ID.
    let name: String
    let rights: FileRights

    /// The unit properties that determine the account.
    static let keys = ["User", "Group", "SupplementaryGroups"]

    /// Finds the account of a system service; nil if its names are unknown here.
    ///
    /// - Parameter unit: The service manager's description of the service.
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
        // A primary group of the unit replaces that of the user.
        rights = FileRights(userID: userID, groupIDs: named == nil ? own + groupIDs : groupIDs + own.dropFirst())
    }
}
