import Glibc

/// The folders in which programs are found: those of `PATH`.
package struct ProgramFolders: Sendable {
    private let folders: [String]

    /// Takes the folders of this process.
    package init() {
        self.init(getenv("PATH").map { String(cString: $0) } ?? ProgramEnvironment.defaultPath)
    }

    /// Takes the folders of a variable `PATH`.
    package init(_ path: String) {
        // An empty name stands for the folder in which the process runs.
        folders = path.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { folder in
            folder.isEmpty ? "." : String(Substring(folder))
        }
    }

    /// Looks for a program.
    ///
    /// - Parameter name: Its name, or its path, which has a slash.
    /// - Returns: Its path at the moment; nil if it is not there.
    package func path(of name: String) -> String? {
        let paths = name.utf8.contains(UInt8(ascii: "/")) ? [name] : folders.map { "\($0)/\(name)" }
        return paths.first(where: Self.isProgram)
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}

extension ProgramFolders: CustomStringConvertible {
    /// The folders, as `PATH` has them.
    package var description: String { folders.joined(separator: ":") }
}
