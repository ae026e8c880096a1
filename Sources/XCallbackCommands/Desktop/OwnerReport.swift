import XCallbackClient

/// The application of a scheme and its consequences, for people.
struct OwnerReport: CustomStringConvertible {
    let description: String

    /// Creates the report of a scheme.
    init(_ owner: SchemeOwner, in session: DesktopSession) {
        let rows = session.forecast(owner).map { ["  \($0[0])", $0[1]] }
        description = ([Self.title(owner)] + TextTable(rows).lines).joined(separator: "\n")
    }

    /// The entry of another application that owns a scheme; nil if none.
    static func otherOwner(_ owner: SchemeOwner) -> String? {
        let names = [owner.xdg, owner.gio].compactMap { answer -> String? in
            if case .entry(let name) = answer, name != DesktopEntry.name { name } else { nil }
        }
        return names.first
    }

    /// The owner of a scheme, in one line.
    static func title(_ owner: SchemeOwner) -> String {
        if owner.isOurs { return "\(owner.scheme): xcallback has it" }
        if let name = otherOwner(owner) {
            let folders = try? DesktopFolders()
            if let folders, let list = folders.list(deciding: owner.scheme), !folders.canOverride(list) {
                return
                    "\(owner.scheme): \(name) has it, because \(list) says so; "
                    + "delete the line '\(DesktopEntry.type(of: owner.scheme))=\(name)' there"
            }
            return
                "\(owner.scheme): \(name) has it; 'xcallback register \(owner.scheme) --default' takes precedence over it"
        }
        if owner.hasNoHandler { return "\(owner.scheme): no application has it" }
        return "\(owner.scheme): cannot find its application: neither xdg-mime nor gio is installed, or they disagree"
    }
}
