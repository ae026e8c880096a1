import Glibc
package import XCallbackLinux

/// An open file or directory, which cannot be replaced between the check of its owner and its use.
package struct OpenedFile: ~Copyable {
    private let file: Descriptor

    /// The descriptor.
    package var descriptor: Int32 { file.number }

    /// Opens a file for reading.
    ///
    /// - Parameter path: The path.
    /// - Throws: ``SystemError`` if the file cannot be opened.
    package init(_ path: String) throws(SystemError) {
        // Without O_NONBLOCK, a pipe without a writer would block the load forever.
        try self.init(path, O_NOCTTY | O_NONBLOCK)
    }

    /// Opens a directory for reading.
    ///
    /// - Parameter path: The path; empty for the current directory.
    /// - Throws: ``SystemError`` if the directory cannot be opened.
    init(directory path: String) throws(SystemError) {
        try self.init(path.isEmpty ? "." : path, O_DIRECTORY)
    }

    private init(_ path: String, _ flags: Int32) throws(SystemError) {
        file = Descriptor(try SystemError.check("open") { open(path, O_RDONLY | O_CLOEXEC | flags) })
    }

    /// The present path, without links.
    ///
    /// - Throws: ``SystemError`` if it is unknown or too long.
    var path: String {
        get throws(SystemError) {
            var text = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let count = try SystemError.check("readlink") {
                Int32(readlink("/proc/self/fd/\(descriptor)", &text, text.count))
            }
            guard Int(count) < text.count else { throw SystemError("readlink", code: ENAMETOOLONG) }
            return String(decoding: text.prefix(Int(count)), as: UTF8.self)
        }
    }

    /// The owner, the mode and the other properties.
    ///
    /// - Throws: ``SystemError`` if they cannot be read.
    var status: stat {
        get throws(SystemError) {
            var status = stat()
            _ = try SystemError.check("fstat") { fstat(descriptor, &status) }
            return status
        }
    }

    /// Reports a fault if another user could have written or chosen the opened file.
    ///
    /// - Parameters:
    ///   - ownership: The required owner.
    ///   - what: The description in messages.
    ///   - place: The place of the faults.
    ///   - faults: The list to which faults are reported.
    package func checkOwners(_ ownership: FileOwnership, what: String, at place: Place, _ faults: FaultList) {
        let check = OwnershipCheck(ownership: ownership, place: place, faults: faults)
        do throws(SystemError) {
            check.checkOwner(try status.st_uid, of: what)
            try check.checkFolders(above: path)
        } catch {
            check.report(error, of: what)
        }
    }
}

/// The required owner of a configuration file and its directory.
package enum FileOwnership: Hashable, Sendable {
    /// Anyone.
    case any
    /// Root or this user, and no other user may have write permission.
    case rootOrUser(UInt32)
    /// Root or a user who is unknown here: files of users other than root are not checked.
    case rootOrUnknownUser
}

/// Checks the owners and modes of an opened file or directory, and of the directories above it.
struct OwnershipCheck {
    let ownership: FileOwnership
    let place: Place
    let faults: FaultList

    /// Reports a fault if another user could have written to a file or directory, or replaced it.
    ///
    /// - Parameters:
    ///   - file: The file or directory.
    ///   - what: The description in messages.
    ///   - mayBeSticky: As in ``check(_:of:at:mayBeSticky:)``.
    ///   - folder: The path of a directory that is already checked, without links; nil if unknown.
    func check(_ file: borrowing OpenedFile, of what: String, mayBeSticky: Bool = false, in folder: String?) {
        if ownership == .any { return }
        do throws(SystemError) {
            let path = try file.path
            check(try file.status, of: what, at: path, mayBeSticky: mayBeSticky)
            // A link can lead elsewhere.
            if path.parent != folder { try checkFolders(above: path) }
        } catch {
            report(error, of: what)
        }
    }

    /// Reports that an owner could not be checked, which is as bad as a wrong one.
    fileprivate func report(_ error: SystemError, of what: String) {
        faults.report("the owner of \(what) cannot be checked: \(reason(error.code))", at: place)
    }

    /// Reports a forbidden owner or mode.
    ///
    /// - Parameters:
    ///   - status: The status of the file or directory.
    ///   - what: The description in messages.
    ///   - path: Its path.
    ///   - mayBeSticky: Whether others may write to a sticky directory of root, in which nobody can replace the files of
    ///     others.
    func check(_ status: stat, of what: String, at path: String, mayBeSticky: Bool = false) {
        if ownership == .any { return }
        checkOwner(status.st_uid, of: what)
        if status.st_mode & 0o022 == 0 || mayBeSticky && status.st_mode & 0o1000 != 0 { return }
        if status.st_mode & 0o002 == 0, !AccessList(path).grantsOthers(.write),
            UserDatabase.isPrivateGroup(status.st_gid, of: status.st_uid)
        {
            return
        }
        let mode = String(status.st_mode & 0o7777, radix: 8)
        let padding = String(repeating: "0", count: max(4 - mode.count, 0))
        faults.report(
            "expected \(what) that only its owner may write to, found mode \(padding)\(mode): run 'chmod go-w "
                + "\(path.shellWord)'", at: place)
    }

    /// Reports a forbidden owner, or records that the owner could not be checked.
    ///
    /// - Parameters:
    ///   - owner: The owner.
    ///   - what: What the owner owns, in a message.
    func checkOwner(_ owner: UInt32, of what: String) {
        if owner == 0 { return }
        switch ownership {
        case .any: return
        case .rootOrUser(let user):
            if owner == user { return }
            let expected = user == 0 ? "root" : "root or uid \(user)"
            faults.report("expected \(what) that belongs to \(expected), found uid \(owner)", at: place)
        case .rootOrUnknownUser:
            faults.noteUnchecked(
                "the owner of \(what), uid \(owner), because only the daemon knows which user it runs as: expected root or "
                    + "that user", at: place)
        }
    }

    /// Reports the first directory above a path in which another user can replace files.
    ///
    /// - Parameter path: A path without links.
    /// - Throws: ``SystemError`` if a directory cannot be checked.
    func checkFolders(above path: String) throws(SystemError) {
        var rest = path[...]
        while let slash = rest.lastIndex(of: "/") {
            rest = rest[..<slash]
            let folder = rest.isEmpty ? "/" : String(rest)
            var status = stat()
            _ = try SystemError.check("stat") { stat(folder, &status) }
            let count = faults.reportCount
            check(status, of: "a directory \(folder.quoted)", at: folder, mayBeSticky: true)
            if faults.reportCount > count { return }
        }
    }
}

extension OpenedFile {
    // Major 1, minor 3; the macro that combines them is not imported.
    private static let nullDevice: dev_t = 0x103

    /// Reads a complete configuration file; reports why that is not possible.
    ///
    /// Owner and mode are those of the opened file, so that it cannot be replaced between check and read. A file that
    /// other users could have written is still read, to report its other faults.
    static func bytes(
        of name: String, in directory: borrowing ConfigurationDirectory, limit: Int, _ ownership: FileOwnership,
        _ faults: FaultList, at place: Place
    ) -> [UInt8]? {
        let file: OpenedFile
        do throws(SystemError) {
            file = try OpenedFile(join(directory.path, name))
        } catch {
            faults.reportOpening(error.code, at: place)
            return nil
        }
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else {
            faults.report("cannot be read: \(reason(errno))", at: place)
            return nil
        }
        // A link to /dev/null masks units and drop-ins.
        if status.st_mode & S_IFMT == S_IFCHR, status.st_rdev == nullDevice { return [] }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let kind = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "a special file"
            faults.report("expected a file, found \(kind)", at: place)
            return nil
        }
        let check = OwnershipCheck(ownership: ownership, place: place, faults: faults)
        // The directory itself is checked once for all its files.
        check.check(file, of: "a file", in: directory.realPath)
        do throws(SystemError) {
            let bytes = try readAll(file.descriptor, atMost: limit + 1)
            if bytes.count <= limit { return bytes }
            faults.report("expected at most \(limit) bytes, found a larger file", at: place)
        } catch {
            faults.report("cannot be read: \(reason(error.code))", at: place)
        }
        return nil
    }
}
