import CLinux
import Glibc

/// What a user with some groups may open.
package struct FileRights: Sendable {
    /// The number of the user.
    package let userID: UInt32
    /// The groups, the primary one first.
    package let groupIDs: [UInt32]

    /// Creates the rights of a user.
    package init(userID: UInt32, groupIDs: [UInt32]) {
        self.userID = userID
        self.groupIDs = groupIDs
    }

    /// Why the user cannot read a file; nil if that is possible, or if only root could find out.
    ///
    /// Only the calling thread takes the rights of the user, and for this call only.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The error of the system.
    package func failure(reading path: String) -> SystemError? {
        guard geteuid() == 0, userID != 0, let primary = groupIDs.first else { return nil }
        let flags = O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
        let number = xcb_open_as(path, flags, userID, primary, groupIDs, groupIDs.count)
        let code = errno
        if number >= 0 { _ = Descriptor(number) }
        return number == -1 ? SystemError("open", code: code) : nil
    }
}
