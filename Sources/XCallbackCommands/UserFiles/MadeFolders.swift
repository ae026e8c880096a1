import Glibc

/// Folders that are made for files, and go with them.
enum MadeFolders {
    /// What update-desktop-database writes where no entry has a type.
    private static let emptyCache = "[MIME Cache]\n"

    /// What would have to be made for files.
    ///
    /// - Parameter paths: The paths of the files.
    /// - Returns: The folders that are not there, those around others first.
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

    /// Removes what was made, unless something is in it.
    ///
    /// - Parameter made: The folders, those around others first, and files that are caches of the desktop.
    /// - Returns: What is still there.
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
