import CLinux
import Glibc

/// The folders in which everything is root's, even where a user namespace hides owners.
enum RootsFolders {
    private static let paths = ["/etc", "/usr"]

    /// Whether only root can put anything into a directory.
    ///
    /// Where owners are hidden, another user's folder looks like root's. Below `/etc` and `/usr` there is none, as long
    /// as no directory on the way is writable by others or belongs to a user that has a number here.
    ///
    /// - Parameter directory: A descriptor of the directory.
    /// - Returns: Whether everything in it is root's.
    static func hold(_ directory: Int32) -> Bool {
        // The last one is the root directory.
        guard let top = chain(from: directory)?.dropLast().last else { return false }
        return paths.contains { FolderIdentity(path: $0) == top }
    }

    /// Whether only root can put a link into a directory: one of these, or the root directory, in which `/lib` is a link
    /// on most systems, and `/home` on some.
    static func holdLinks(_ directory: Int32) -> Bool {
        chain(from: directory)?.count == 1 || hold(directory)
    }

    /// A directory and those that hold it, up to the root directory; nil unless each may be root's and nobody else's.
    private static func chain(from directory: Int32) -> [FolderIdentity]? {
        var chain: [FolderIdentity] = []
        let isRoots = FolderIdentity.climb(from: directory) { status in
            chain.append(FolderIdentity(status))
            return UserNamespace.mayBeRoot(status.st_uid) && status.st_mode & 0o022 == 0
        }
        return isRoots ? chain : nil
    }
}

/// The folders of a configuration, which its links must not leave where a user namespace hides owners.
struct ConfigurationFolders {
    private let identities: [FolderIdentity]

    /// Notes which folders are searched; nil if links may lead anywhere, because owners are known.
    init?(_ places: ConfigurationPlaces) {
        guard UserNamespace.hidesRoot || places.warnsOfHiddenOwners else { return nil }
        identities = places.folders.compactMap { folder in
            // The links to the folder of a file that somebody names are checked, and may lead anywhere.
            if places.isNamed { return FolderIdentity(path: folder.path.isEmpty ? "." : folder.path) }
            return FolderIdentity(path: folder.base, folder: folder.name)
        }
    }

    /// Whether a directory is one of them, or below one.
    func contain(_ directory: Int32) -> Bool {
        var isFound = false
        _ = FolderIdentity.climb(from: directory) { status in
            isFound = identities.contains(FolderIdentity(status))
            return !isFound
        }
        return isFound
    }
}

/// What tells a directory from all others, whatever path leads to it.
struct FolderIdentity: Hashable {
    private let device: dev_t
    private let number: ino_t

    init(_ status: stat) {
        device = status.st_dev
        number = status.st_ino
    }

    /// The identity of what is at a path; nil if there is nothing.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The identity of a folder below another one; nil if it is not there or a link leads to it.
    init?(path: String, folder: String) {
        guard let opened = try? OpenedPath(directory: folder, below: path), opened.links.isEmpty else { return nil }
        var status = stat()
        guard fstat(opened.descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Looks at a directory and those that hold it, as they are and not as a path names them, up to the root directory.
    ///
    /// - Parameters:
    ///   - directory: A descriptor of the first one.
    ///   - look: Looks at one, and says whether to go on.
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
