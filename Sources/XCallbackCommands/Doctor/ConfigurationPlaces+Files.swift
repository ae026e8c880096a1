import Glibc
import XCallbackConfiguration

extension ConfigurationPlaces {
    /// Whether a file belongs to the configuration, however its path is written.
    ///
    /// - Parameter file: The absolute path.
    /// - Returns: Whether the file belongs to it.
    func contains(_ file: String) -> Bool {
        let end = file.lastIndex(of: "/") ?? file.startIndex
        let (folder, name) = (String(file[..<end]).realPath, file[end...].dropFirst())
        return directories.contains { directory in
            let directory = directory.isEmpty ? "." : directory
            return name == fileName && directory.realPath == folder
                || "\(directory)/\(Self.dropInDirectory)".realPath == folder
        }
    }
}

extension String {
    /// The absolute path without links; unchanged if nothing exists there.
    var realPath: String {
        guard let path = realpath(self, nil) else { return self }
        defer { free(path) }
        return String(cString: path)
    }
}
