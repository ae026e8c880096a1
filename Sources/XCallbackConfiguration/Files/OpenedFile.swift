import CLinux
import Glibc

/// An open file or directory, which cannot be replaced between the check of its owner and its use.
package struct OpenedFile: ~Copyable {
    /// The reason why a file cannot be opened.
    package struct Failure: Error {
        /// The value of `errno`.
        package let code: Int32
    }

    /// The descriptor.
    package let descriptor: Int32

    /// Opens a file for reading.
    ///
    /// - Parameter path: The path.
    /// - Throws: ``Failure`` if the file cannot be opened.
    package init(_ path: String) throws(Failure) {
        // Without O_NONBLOCK, a pipe without a writer would block the load forever.
        try self.init(path, O_NOCTTY | O_NONBLOCK)
    }

    /// Opens a directory for reading.
    ///
    /// - Parameter path: The path; empty for the current directory.
    /// - Throws: ``Failure`` if the directory cannot be opened.
    init(directory path: String) throws(Failure) {
        try self.init(path.isEmpty ? "." : path, O_DIRECTORY)
    }

    private init(_ path: String, _ flags: Int32) throws(Failure) {
        let number = open(path, O_RDONLY | O_CLOEXEC | flags)
        guard number >= 0 else { throw Failure(code: errno) }
        descriptor = number
    }

    deinit {
        close(descriptor)
    }

    /// The present path, without links.
    var path: String {
        var text = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(descriptor)", &text, text.count)
        return String(decoding: text.prefix(max(count, 0)), as: UTF8.self)
    }

    /// Reports a fault if another user could have written or chosen the opened file.
    ///
    /// - Parameters:
    ///   - ownership: The required owner.
    ///   - what: The description in messages.
    ///   - place: The place of the faults.
    ///   - faults: The list to which faults are reported.
    package func checkOwners(_ ownership: FileOwnership, what: String, at place: Place, _ faults: FaultList) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            return faults.report("cannot be read: \(reason(errno))", at: place)
        }
        let check = OwnershipCheck(ownership: ownership, place: place, faults: faults)
        check.checkOwner(status.st_uid, of: what)
        check.checkFolders(above: path)
    }
}
