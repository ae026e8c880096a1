import Glibc
import XCallbackConfiguration
import XCallbackLinux
import XCallbackWire

/// A small file of the user, which is read and replaced as a whole.
struct UserFile {
    /// Its path.
    let path: String

    /// Reads the text; nil if the file does not exist.
    ///
    /// - Throws: ``Failure`` if it cannot be read, or is not UTF-8, which would be lost with the next change.
    func read() throws(Failure) -> String? {
        let file: SmallFile
        do throws(SystemError) {
            file = try SmallFile(path, atMost: Self.limit)
        } catch {
            if error.code == ENOENT { return nil }
            throw failure("read", error.code)
        }
        guard file.bytes.count < Self.limit else {
            throw Failure("'\(path)' is larger than \(Self.limit) bytes and was not changed")
        }
        guard let text = String(validating: file.bytes, as: UTF8.self) else {
            throw Failure("'\(path)' is not UTF-8 and was not changed")
        }
        return text
    }

    /// Replaces the text atomically: readers get either the old or the new text.
    ///
    /// Missing folders are created. If the file is a link, its target is replaced, which must exist.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - permissions: The permissions, of which the umask takes those of others; nil to keep the current ones.
    /// - Throws: ``Failure`` if it cannot be written; then it is unchanged.
    func replace(with text: String, permissions: mode_t? = nil) throws(Failure) {
        try replace(with: Array(text.utf8), permissions: permissions)
    }

    /// Replaces the bytes, as above.
    func replace(with bytes: [UInt8], permissions: mode_t? = nil) throws(Failure) {
        try makeFolder()
        let target = realPath(self.path)
        // The target can be on a disk that is not there now.
        if target == nil, isLink { throw Failure("'\(self.path)' is a link to a file that does not exist") }
        let path = target ?? self.path
        // A name as long as the file's could be too long with a suffix.
        var template = Array("\(path.parent)/.xcallback-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw failure("write", errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let mode = permissions.map { $0 & (~Self.mask | 0o700) } ?? mode(of: path)
        var code = Terminal.write(bytes, to: descriptor)
        if code == 0, fchmod(descriptor, mode) != 0 || fsync(descriptor) != 0 { code = errno }
        close(descriptor)
        if code == 0 {
            if rename(template, path) == 0 { return }
            code = errno
        }
        unlink(template)
        throw failure("write", code)
    }

    /// Removes the file; does nothing if it does not exist.
    ///
    /// - Throws: ``Failure`` if it cannot be removed.
    func remove() throws(Failure) {
        guard unlink(path) != 0 else { return }
        let code = errno
        if code != ENOENT { throw failure("remove", code) }
    }

    /// Whether it is a link.
    var isLink: Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// The maximum size that is read: a larger file cannot be valid.
    static let limit = ActionFolder.sizeLimit

    /// Returns the permissions of the replaced file, or those of a new one.
    private func mode(of path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o644 & (~Self.mask | 0o700)
    }

    /// The umask, which can only be read by a change.
    private static let mask: mode_t = {
        let mask = umask(0o077)
        umask(mask)
        return mask
    }()

    private func makeFolder() throws(Failure) {
        for index in path.indices.dropFirst() where path[index] == "/" {
            let folder = String(path[..<index])
            if mkdir(folder, 0o700) == 0 {
                // The user's umask could lock the user out.
                chmod(folder, 0o700)
                continue
            }
            let code = errno
            // An existing folder may be inaccessible for creating, but not for its contents.
            if code != EEXIST, access(folder, F_OK) != 0 { throw failure("create the folder of", code) }
        }
    }

    private func failure(_ verb: String, _ code: Int32) -> Failure {
        Failure("cannot \(verb) '\(path)': \(systemMessage(code))")
    }
}

/// A file that the command writes for the user, and recognizes as long as it is unchanged.
package struct WrittenFile: Hashable, Sendable {
    package let path: String
    /// The hash of the bytes.
    package let hash: String
    /// The bytes to write; empty for a file that the record lists.
    package private(set) var bytes: [UInt8] = []
    package private(set) var isProgram = false
    /// The bytes as text; nil if they are not UTF-8.
    var text: String? { String(validating: bytes, as: UTF8.self) }

    /// Creates the description of a file that was written.
    package init(path: String, hash: String) {
        self.path = path
        self.hash = hash
    }

    /// Creates the description of a file without writing it.
    package init(path: String, bytes: [UInt8], isProgram: Bool = false) {
        self.init(path: path, hash: String(stableHash(bytes.span), radix: 16))
        (self.bytes, self.isProgram) = (bytes, isProgram)
    }

    /// Reads a file; nil if it cannot be read.
    init?(at path: String) {
        guard let file = try? SmallFile(path, atMost: ActionFolder.sizeLimit) else { return nil }
        self.init(path: path, bytes: file.bytes, isProgram: file.mode & 0o100 != 0)
    }

    /// Whether something exists at the path: a dangling link belongs to the user, too.
    var exists: Bool { FileIdentity(ofFile: path, isFollowed: false) != nil }
    /// Whether the file is as written.
    var isAsWritten: Bool { WrittenFile(at: path)?.hash == hash }
    /// Whether something else exists at the path.
    var isChanged: Bool { exists && !isAsWritten }

    func write() throws(Failure) {
        try UserFile(path: path).replace(with: bytes, permissions: isProgram ? 0o755 : 0o644)
    }
}

/// The path of the running command, without links; nil if it cannot be found.
var ownPath: String? { (try? programPath()).map { String(decoding: $0, as: UTF8.self) } }

/// Returns the names of the visible entries of a folder, in order; empty if it cannot be read.
func visibleEntries(of path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
}

/// Returns the drop-ins with a name, which would mask a new one, or which it would mask.
func existingDropIns(named name: String) -> [String] {
    ConfigurationPlaces(of: nil).directories.flatMap { folder in
        [".yaml", "/\(name).yaml"].map { "\(folder)/routes.d/\(name)\($0)" }
    }.filter { access($0, F_OK) == 0 }
}

/// The locations of the files of a user's daemon (XDG Base Directory Specification).
package struct UserFolders: Hashable, Sendable {
    /// The folder of the user's configuration files, for all programs.
    package let configurationHome: String
    /// The folder of the user's data files, for all programs.
    package let dataHome: String
    /// The folder of the user's state files, for all programs.
    package let stateHome: String

    /// The configuration of the daemon.
    package var configuration: String { "\(configurationHome)/xcallbackd" }
    /// The drop-ins of the configuration.
    package var dropIns: String { "\(configuration)/routes.d" }
    /// The file with the settings for all routes.
    package var settings: String { "\(configuration)/config.yaml" }
    /// The record of what 'setup' and 'init' have made.
    package var record: String { "\(stateHome)/xcallbackd/setup.json" }

    package init(configurationHome: String, dataHome: String, stateHome: String) {
        self.configurationHome = configurationHome
        self.dataHome = dataHome
        self.stateHome = stateHome
    }

    /// Determines the folders of the user who runs the command.
    init() throws(Failure) {
        self.init(
            configurationHome: try DesktopFolders.folder("XDG_CONFIG_HOME", orIn: ".config"),
            dataHome: try DesktopFolders.folder("XDG_DATA_HOME", orIn: ".local/share"),
            stateHome: try DesktopFolders.folder("XDG_STATE_HOME", orIn: ".local/state"))
    }

    /// Excludes other commands that write the user's files until this process ends; waits for one for some seconds.
    func lock(for command: String) throws(Failure) {
        // A folder can be locked, and the lock leaves nothing behind. Programs of actions lock other folders, such as the
        // home, and run meanwhile.
        if mkdir(configurationHome, 0o700) == 0 { chmod(configurationHome, 0o700) }
        let folder = open(configurationHome, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        for _ in 0..<50 {
            guard folder >= 0, flock(folder, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
            usleep(100_000)
        }
        throw Failure("another 'xcallback \(command)' is running: wait until it ends")
    }

    /// Returns the folders of xcallback that a drop-in and its programs are in, inner ones first.
    func own(of name: String) -> [String] {
        [
            "\(dataHome)/xcallbackd/programs/\(name)", "\(dataHome)/xcallbackd/programs", "\(dataHome)/xcallbackd",
            dropIns, configuration, record.parent,
        ]
    }
}
