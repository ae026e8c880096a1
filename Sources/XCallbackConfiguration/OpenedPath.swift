import CLinux
import Glibc

/// A file or directory, opened one path component at a time, so that every link on the way is known.
///
/// Each component is looked up in the open directory that holds it, and nothing is looked up twice: what was checked
/// cannot be replaced before it is read.
package struct OpenedPath: ~Copyable {
    /// Why a path cannot be opened.
    package struct Failure: Error {
        /// The value of `errno`.
        package let code: Int32
    }

    /// How many links the kernel follows in one path (path_resolution(7)).
    private static let linkLimit = 40

    private let file: OpenDescriptor
    private let holder: OpenDescriptor
    /// The links that were followed, in order.
    let links: [SymbolicLink]

    /// The descriptor of the file or directory.
    package var descriptor: Int32 { file.number }
    /// The descriptor of the directory that holds it.
    var folder: Int32 { holder.number }

    /// Opens a file for reading.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - directory: The directory that a relative path starts in.
    ///   - name: The path of that directory in messages.
    /// - Throws: ``Failure`` if it cannot be opened.
    package init(
        file path: String, in directory: Int32 = AT_FDCWD, named name: String = ""
    ) throws(Failure) {
        // Without O_NONBLOCK a pipe without a writer would block the load forever.
        try self.init(path, in: directory, named: name, flags: O_NOCTTY | O_NONBLOCK)
    }

    /// Opens a directory for reading.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - directory: The directory that a relative path starts in.
    ///   - name: The path of that directory in messages.
    /// - Throws: ``Failure`` if it cannot be opened.
    init(directory path: String, in directory: Int32, named name: String) throws(Failure) {
        try self.init(path, in: directory, named: name, flags: O_DIRECTORY)
    }

    /// Opens a directory for reading.
    ///
    /// - Parameters:
    ///   - path: The path from the base.
    ///   - base: The directory that it starts in; empty for the current one. Links in this path are not recorded.
    /// - Throws: ``Failure`` if it cannot be opened.
    init(directory path: String, below base: String) throws(Failure) {
        let start = try OpenDescriptor(checking: xcb_open_directory(base.isEmpty ? "." : base))
        try self.init(directory: path, in: start.number, named: base)
    }

    private init(_ path: String, in directory: Int32, named name: String, flags: Int32) throws(Failure) {
        var folder = try OpenDescriptor(checking: xcb_look_up(directory, path.hasPrefix("/") ? "/" : ".", O_DIRECTORY))
        var shown = path.hasPrefix("/") ? "/" : name
        var rest = Array(path.split(separator: "/").reversed())
        var links: [SymbolicLink] = []
        while true {
            let component = String(rest.popLast() ?? ".")
            let isLast = rest.isEmpty
            var opened =
                isLast
                ? openat(folder.number, component, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags)
                : xcb_look_up(folder.number, component, O_DIRECTORY)
            var code = errno
            // A link is ENOTDIR if a directory was expected.
            if opened < 0, code == ELOOP || code == ENOTDIR,
                let link = SymbolicLink(component, in: folder.number, path: join(shown, component))
            {
                links.append(link)
                guard links.count <= Self.linkLimit else { throw Failure(code: ELOOP) }
                guard link.isMagic else {
                    rest += link.target.split(separator: "/").reversed()
                    if link.target.hasPrefix("/") {
                        folder = try OpenDescriptor(checking: xcb_open_directory("/"))
                        shown = "/"
                    }
                    continue
                }
                opened = openat(folder.number, component, O_RDONLY | O_CLOEXEC | (isLast ? flags : O_DIRECTORY))
                code = errno
            }
            guard opened >= 0 else { throw Failure(code: code) }
            let next = try OpenDescriptor(checking: opened)
            if isLast {
                file = next
                holder = folder
                self.links = links
                return
            }
            folder = next
            shown = join(shown, component)
        }
    }
}

/// A symbolic link on the way to a file.
struct SymbolicLink {
    let path: String
    let target: String
    let owner: UInt32
    /// Whether root has put it there; false for one that certainly is not root's.
    let isInRootsFolder: Bool
    /// Whether only the kernel can follow it, because its text need not be a path (proc_pid_fd(5)).
    let isMagic: Bool

    /// Reads a link; nil if there is none with this name.
    init?(_ name: String, in folder: Int32, path: String) {
        guard let link = try? OpenDescriptor(checking: xcb_look_up(folder, name, 0)) else { return nil }
        var status = stat()
        guard fstat(link.number, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return nil }
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlinkat(link.number, "", &text, text.count)
        guard count > 0, count < text.count else { return nil }
        self.path = path
        target = String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        owner = status.st_uid
        isInRootsFolder = UserNamespace.mayBeRoot(owner) && RootsFolders.hold(folder)
        var processes = stat()
        isMagic = stat("/proc", &processes) == 0 && processes.st_dev == status.st_dev
    }
}

/// A file descriptor that is closed when its owner goes.
struct OpenDescriptor: ~Copyable {
    let number: Int32

    /// Takes the result of a system call over.
    ///
    /// - Throws: ``OpenedPath/Failure`` with `errno` if it is negative.
    init(checking number: Int32) throws(OpenedPath.Failure) {
        guard number >= 0 else { throw OpenedPath.Failure(code: errno) }
        self.number = number
    }

    deinit {
        close(number)
    }
}
