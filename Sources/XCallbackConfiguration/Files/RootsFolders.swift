import CLinux
import Glibc

/// The folders in which root owns everything, even where a user namespace hides owners.
enum RootsFolders {
    private static let paths = ["/etc", "/usr"]

    /// Whether only root can put files into a directory.
    ///
    /// Where owners are hidden, another user's folder looks like root's. Below `/etc` and `/usr` there are no such
    /// folders, as long as no directory on the way is writable by others or belongs to a user that is mapped here.
    ///
    /// - Parameter directory: The descriptor of the directory.
    /// - Returns: Whether root owns everything in it.
    static func hold(_ directory: Int32) -> Bool {
        // The last element is the root directory.
        guard let top = chain(from: directory)?.dropLast().last else { return false }
        return paths.contains { FolderIdentity(path: $0) == top }
    }

    /// Whether only root can put a link into a directory: one of these folders, or the root directory, which contains
    /// the link `/lib` on most systems and `/home` on some.
    static func holdLinks(_ directory: Int32) -> Bool {
        chain(from: directory)?.count == 1 || hold(directory)
    }

    /// Returns a directory and its ancestors up to the root directory; nil unless each of them may be root's and is not
    /// writable by others.
    private static func chain(from directory: Int32) -> [FolderIdentity]? {
        var chain: [FolderIdentity] = []
        let isRoots = FolderIdentity.climb(from: directory) { status in
            chain.append(FolderIdentity(status))
            return UserNamespace.mayBeRoot(status.st_uid) && status.st_mode & 0o022 == 0
        }
        return isRoots ? chain : nil
    }
}

/// The configuration folders, which links must not leave where a user namespace hides owners.
struct ConfigurationFolders {
    private let identities: [FolderIdentity]

    /// Records the searched folders; nil if links may lead anywhere because owners are known.
    init?(_ places: ConfigurationPlaces) {
        guard UserNamespace.hidesRoot || places.warnsOfHiddenOwners else { return nil }
        identities = places.folders.compactMap { folder in
            // The links to the folder of a named file are checked, and may lead anywhere.
            if places.isNamed { return FolderIdentity(path: folder.path.isEmpty ? "." : folder.path) }
            return FolderIdentity(path: folder.base, folder: folder.name)
        }
    }

    /// Whether a directory is one of the folders, or below one.
    func contain(_ directory: Int32) -> Bool {
        var isFound = false
        _ = FolderIdentity.climb(from: directory) { status in
            isFound = identities.contains(FolderIdentity(status))
            return !isFound
        }
        return isFound
    }
}

/// Identifies a directory, regardless of the path that leads to it.
struct FolderIdentity: Hashable {
    private let device: dev_t
    private let number: ino_t

    init(_ status: stat) {
        device = status.st_dev
        number = status.st_ino
    }

    /// Returns the identity of the file at a path; nil if there is none.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Returns the identity of a folder below another one; nil if it is missing, or if a link leads to it.
    init?(path: String, folder: String) {
        guard let opened = try? OpenedPath(directory: folder, below: path), opened.links.isEmpty else { return nil }
        var status = stat()
        guard fstat(opened.descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Visits a directory and its actual ancestors up to the root directory, regardless of any path.
    ///
    /// - Parameters:
    ///   - directory: The descriptor of the directory.
    ///   - look: Examines a directory, and returns whether to continue.
    /// - Returns: Whether the root directory was reached.
    static func climb(from directory: Int32, _ look: (stat) -> Bool) -> Bool {
        guard var current = try? OpenDescriptor(checking: xcb_look_up(directory, ".", O_DIRECTORY)) else {
            return false
        }
        var status = stat()
        guard fstat(current.number, &status) == 0 else { return false }
        while look(status) {
            guard let parent = try? OpenDescriptor(checking: xcb_look_up(current.number, "..", O_DIRECTORY)) else {
                return false
            }
            var above = stat()
            guard fstat(parent.number, &above) == 0 else { return false }
            if FolderIdentity(above) == FolderIdentity(status) { return true }
            status = above
            current = parent
        }
        return false
    }
}
