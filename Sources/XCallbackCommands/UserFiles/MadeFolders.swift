import Glibc

/// Folders that are created for files, and removed with them.
enum MadeFolders {
    /// The output of update-desktop-database if no entry has a type.
    private static let emptyCache = "[MIME Cache]\n"

    /// Returns the folders that would have to be created for files.
    ///
    /// - Parameter paths: The paths of the files.
    /// - Returns: The missing folders, parents first.
    static func missing(for paths: [String]) -> [String] {
        var missing: Set<String> = []
        for path in paths {
            for index in path.indices.dropFirst() where path[index] == "/" {
                let folder = String(path[..<index])
                if access(folder, F_OK) != 0 { missing.insert(folder) }
            }
        }
        return missing.sorted()
    }

    /// Removes created folders and caches, unless they are in use.
    ///
    /// - Parameter made: The folders, parents first, and caches of the desktop.
    /// - Returns: The paths that still exist.
    static func remove(_ made: [String]) -> [String] {
        var left: [String] = []
        for path in made.reversed() {
            let isCache = path.hasSuffix("/\(DesktopFolders.cacheName)")
            if isCache, (try? UserFile(path: path).read()) == emptyCache { unlink(path) }
            if !isCache { rmdir(path) }
            if access(path, F_OK) == 0 { left.insert(path, at: 0) }
        }
        return left
    }
}
