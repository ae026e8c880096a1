import CLinux
import Glibc

/// The files that a user with given groups can open.
package struct FileRights: Sendable {
    /// The user ID.
    package let userID: UInt32
    /// The group IDs, the primary one first.
    package let groupIDs: [UInt32]

    /// Creates the rights of a user.
    package init(userID: UInt32, groupIDs: [UInt32]) {
        self.userID = userID
        self.groupIDs = groupIDs
    }

    /// Returns the reason why the user cannot read a file; nil if the user can, or if only root could find out.
    ///
    /// Only the calling thread takes the rights of the user, and only during this call.
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
