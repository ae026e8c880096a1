import CLinux
import Glibc

/// The access control list of a file or directory (acl(5)).
///
/// Its mode shows what the list gives to users and groups by name as a permission of the group that owns it.
package struct AccessList {
    /// A permission.
    package enum Permission: UInt16 {
        case write = 2
        case read = 4
    }

    private struct Entry {
        static let (user, group, mask): (UInt16, UInt16, UInt16) = (2, 8, 16)

        let tag: UInt16
        let permissions: UInt16
        let id: UInt32
    }

    private var entries: [Entry] = []
    /// Whether the list could not be read, so that it may give any permission.
    private let isUnknown: Bool

    /// Reads the list of a file; empty if it has none.
    package init(_ path: String) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = getxattr(path, "system.posix_acl_access", &bytes, bytes.count)
        let code = errno
        isUnknown = count < 0 && code != ENODATA && code != EOPNOTSUPP
        // A version, then the entries; numbers begin with the lowest byte.
        for start in stride(from: 4, to: count - 7, by: 8) {
            let words = stride(from: start, to: start + 8, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
            entries.append(
                Entry(tag: words[0], permissions: words[1], id: UInt32(words[2]) | UInt32(words[3]) << 16))
        }
    }

    /// Whether it gives a permission to a user by name, other than root and this one, or the right to write to a group.
    package func grantsOthers(_ permission: Permission) -> Bool {
        let limit = entries.first { $0.tag == Entry.mask }?.permissions ?? .max
        return isUnknown
            || entries.contains { entry in
                let isUser = entry.tag == Entry.user && ![0, geteuid()].contains(entry.id)
                let isGroup = entry.tag == Entry.group && permission == .write
                return (isUser || isGroup) && entry.permissions & limit & permission.rawValue != 0
            }
    }
}
