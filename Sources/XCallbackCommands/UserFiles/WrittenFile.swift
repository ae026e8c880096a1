import Glibc

/// A file that the command writes for the user, and recognizes as long as it is unchanged.
package struct WrittenFile: Hashable, Sendable {
    /// The state of the path.
    enum State: Hashable {
        /// Nothing exists.
        case missing
        /// The file exists as written.
        case written
        /// The program exists as written, but the user may not run it.
        case notExecutable
        /// Something else exists.
        case other
    }

    package let path: String
    package let text: String
    package let isProgram: Bool

    /// Creates the description of a file without writing it.
    package init(path: String, text: String, isProgram: Bool) {
        self.path = path
        self.text = text
        self.isProgram = isProgram
    }

    func state() throws(Failure) -> State {
        guard let found = try UserFile(path: path).read() else {
            var status = stat()
            // A dangling link belongs to the user, too.
            return lstat(path, &status) == 0 ? .other : .missing
        }
        guard found == text else { return .other }
        return isProgram && access(path, X_OK) != 0 ? .notExecutable : .written
    }

    /// Writes the file atomically, after creating its folders.
    func write() throws(Failure) {
        try UserFile(path: path).replace(with: text, permissions: isProgram ? 0o755 : 0o644)
    }

    func remove() throws(Failure) {
        try UserFile(path: path).remove()
    }
}
