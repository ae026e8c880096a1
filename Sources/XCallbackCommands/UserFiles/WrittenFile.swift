import Glibc

/// A file that the command writes for the user, and knows again as long as nobody has changed it.
package struct WrittenFile: Hashable, Sendable {
    /// What is found at the path.
    enum State: Hashable {
        /// Nothing.
        case missing
        /// The file as it is written.
        case written
        /// The program as it is written, which the user may not run.
        case notExecutable
        /// Something else.
        case other
    }

    /// The path.
    package let path: String
    /// All that is in it.
    package let text: String
    /// Whether it is a program.
    package let isProgram: Bool

    /// Creates a file; nothing is written yet.
    package init(path: String, text: String, isProgram: Bool) {
        self.path = path
        self.text = text
        self.isProgram = isProgram
    }

    /// Looks at what is there.
    ///
    /// - Throws: ``Failure`` if it cannot be read.
    func state() throws(Failure) -> State {
        guard let found = try UserFile(path: path).read() else {
            var status = stat()
            // A link that leads nowhere is the user's, too.
            return lstat(path, &status) == 0 ? .other : .missing
        }
        guard found == text else { return .other }
        return isProgram && access(path, X_OK) != 0 ? .notExecutable : .written
    }

    /// Writes it, in one step; its folders are made.
    ///
    /// - Throws: ``Failure`` if it cannot be written.
    func write() throws(Failure) {
        try UserFile(path: path).replace(with: text, permissions: isProgram ? 0o755 : 0o644)
    }

    /// Removes it.
    ///
    /// - Throws: ``Failure`` if it cannot be removed.
    func remove() throws(Failure) {
        try UserFile(path: path).remove()
    }
}
