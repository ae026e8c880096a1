import Glibc

/// The folders in which programs are found: those in `PATH`.
package struct ProgramFolders: Sendable {
    private let folders: [String]

    /// Creates the list from the `PATH` of this process.
    package init() {
        self.init(getenv("PATH").map { String(cString: $0) } ?? ProgramEnvironment.defaultPath)
    }

    /// Creates the list from a value of `PATH`.
    package init(_ path: String) {
        // An empty entry means the current directory.
        folders = path.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { folder in
            folder.isEmpty ? "." : String(Substring(folder))
        }
    }

    /// Looks for a program.
    ///
    /// - Parameter name: The name, or a path, which contains a slash.
    /// - Returns: The current path of the program; nil if it does not exist.
    package func path(of name: String) -> String? { paths(of: name).first(where: Self.isProgram) }

    /// Returns a path itself, or the path of a file with a name, which need not be a program; nil if there is none.
    func existingPath(of name: String) -> String? {
        let paths = paths(of: name)
        return paths == [name] ? name : paths.first { access($0, F_OK) == 0 }
    }

    private func paths(of name: String) -> [String] {
        name.utf8.contains(UInt8(ascii: "/")) ? [name] : folders.map { "\($0)/\(name)" }
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}

extension ProgramFolders: CustomStringConvertible {
    /// The folders in the format of `PATH`.
    package var description: String { folders.joined(separator: ":") }
}
