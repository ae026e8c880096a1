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
    package func failure(reading path: String) -> SystemError? { failure(path, O_RDONLY | O_NOCTTY | O_NONBLOCK) }

    /// Whether the user may look names up in a folder.
    ///
    /// - Parameter folder: The path of the folder.
    /// - Returns: Also true if only root could find out.
    package func canEnter(_ folder: String) -> Bool { failure("\(folder)/.", O_DIRECTORY | xcb_path_only) == nil }

    private func failure(_ path: String, _ flags: Int32) -> SystemError? {
        guard geteuid() == 0, userID != 0, let primary = groupIDs.first else { return nil }
        let number = xcb_open_as(path, flags | O_CLOEXEC, userID, primary, groupIDs, groupIDs.count)
        let code = errno
        guard number < 0 else {
            _ = Descriptor(number)
            return nil
        }
        return SystemError("open", code: code)
    }
}
