import Glibc
import XCallbackLinux

/// An open directory with configuration files.
///
/// Its owner and those of the directories above it are checked, so nobody else can replace it.
struct ConfigurationDirectory: ~Copyable {
    /// The path in messages; empty for the current directory.
    let path: String
    private let opened: OpenedFile
    /// The directory that contains it, if that was checked, too.
    private var parent: String?

    var descriptor: Int32 { opened.descriptor }

    /// A file or directory may exist but cannot be examined; the fault is reported.
    struct Unreadable: Error {}

    /// Opens a directory; nil if it is optional and missing.
    ///
    /// - Parameters:
    ///   - path: The path; empty for the current directory.
    ///   - isOptional: Whether the directory may be missing. A directory without permission to enter does not count as
    ///     missing: its files would be ignored silently.
    ///   - faults: The list to which faults are reported.
    /// - Returns: The directory, whoever owns it.
    /// - Throws: ``Unreadable`` if the directory cannot be opened.
    static func open(
        _ path: String, isOptional: Bool, faults: FaultList
    ) throws(Unreadable) -> ConfigurationDirectory? {
        if isOptional, try !exists(path, in: AT_FDCWD, place(of: path), faults) { return nil }
        return try ConfigurationDirectory(path, faults)
    }

    /// Opens the drop-in directory in this directory.
    func openDropIns(_ faults: FaultList) throws(Unreadable) -> ConfigurationDirectory {
        var dropIns = try ConfigurationDirectory(join(path, ConfigurationPlaces.dropInDirectory), faults)
        dropIns.parent = realPath
        return dropIns
    }

    private init(_ path: String, _ faults: FaultList) throws(Unreadable) {
        do throws(SystemError) {
            opened = try OpenedFile(directory: path)
        } catch {
            faults.reportOpening(error.code, at: Self.place(of: path))
            throw Unreadable()
        }
        self.path = path
    }

    /// The path without links; nil if it is unknown.
    var realPath: String? { try? opened.path }

    /// Reports a fault if another user could put files into the directory, or replace the directory.
    ///
    /// - Parameters:
    ///   - reader: Reads the files in the directory.
    ///   - mayBeSticky: Whether a sticky bit is sufficient.
    ///   - faults: The list to which faults are reported.
    /// - Throws: ``Unreadable`` after a fault, if the reader drops what has one.
    func check(for reader: DocumentReader, mayBeSticky: Bool, _ faults: FaultList) throws(Unreadable) {
        if reader.ownership == .any { return }
        let check = OwnershipCheck(ownership: reader.ownership, place: Self.place(of: path), faults: faults)
        let count = faults.reportCount
        check.check(opened, of: "a directory", mayBeSticky: mayBeSticky, in: parent)
        if reader.dropsFaulty, faults.reportCount > count { throw Unreadable() }
    }

    private static func place(of path: String) -> Place { Place(file: path.isEmpty ? "." : path) }

    /// Whether a name exists, even as a dangling link.
    ///
    /// - Throws: ``Unreadable`` if that cannot be determined.
    func contains(_ name: String, _ faults: FaultList) throws(Unreadable) -> Bool {
        try Self.exists(name, in: descriptor, Place(file: join(path, name)), faults)
    }

    private static func exists(
        _ name: String, in directory: Int32, _ place: Place, _ faults: FaultList
    ) throws(Unreadable) -> Bool {
        var status = stat()
        if fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return true }
        let code = errno
        if code == ENOENT || code == ENOTDIR { return false }
        faults.reportOpening(code, at: place)
        throw Unreadable()
    }

    /// Returns the paths of the drop-ins in this directory, and of files that were probably meant as drop-ins.
    ///
    /// A drop-in is a file, or the file `NAME.yaml` in a folder NAME; files come first. Hidden files and leftovers of
    /// editors and package managers are ignored.
    ///
    /// - Throws: ``Unreadable`` if the directory cannot be listed.
    func dropIns(_ faults: FaultList) throws(Unreadable) -> [String] {
        let names = try names(faults).filter { !$0.hasPrefix(".") }
        let files = names.filter { [".yml", ".yaml"].contains(where: $0.lowercased().hasSuffix) }
        let folders = Set(names).subtracting(files).sorted()
        // What cannot be entered must not be ignored silently.
        return files
            + folders.map { "\($0)/\($0).yaml" }.filter {
                $0.contains("\u{FFFD}") || faccessat(descriptor, $0, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno == EACCES
            }
    }

    private func names(_ faults: FaultList) throws(Unreadable) -> [String] {
        // The stream closes its descriptor.
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard let stream = fdopendir(copy) else {
            faults.report("cannot be read: \(reason(errno))", at: Self.place(of: path))
            close(copy)
            throw Unreadable()
        }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
            errno = 0
        }
        let code = errno
        guard code == 0 else {
            faults.report("cannot be read: \(reason(code))", at: Self.place(of: path))
            throw Unreadable()
        }
        return names
    }
}

extension FaultList {
    /// Reports why a file or directory cannot be opened, and the remedy.
    func reportOpening(_ code: Int32, at place: Place) {
        // What was read of a name that is not UTF-8 names nothing.
        if code == ENOENT, place.file.contains("\u{FFFD}") {
            return report("the name of the file or folder is not UTF-8: rename it", at: place)
        }
        let unread = Fault.UnreadFile(errno: code)
        let advice = unread == .forbidden ? "; let uid \(geteuid()) read it, and enter the directories above it" : ""
        report("cannot be opened: \(reason(code))\(advice)", at: place, unread: unread)
    }
}

extension Fault.UnreadFile {
    /// Creates the reason from a value of `errno`; nil if it is another one.
    package init?(errno code: Int32) {
        switch code {
        case ENOENT, ENOTDIR: self = .missing
        case EACCES: self = .forbidden
        default: return nil
        }
    }
}

/// Returns the system's message for a value of `errno`, as the end of a message.
func reason(_ code: Int32) -> String {
    let text = String(cString: strerror(code))
    return text.prefix(1).lowercased() + text.dropFirst()
}
