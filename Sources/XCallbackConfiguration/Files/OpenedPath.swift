import CLinux
import Glibc

/// A file or directory, opened one path component at a time, so that all links on the way are known.
///
/// Each component is looked up in the open directory that contains it, and all checks use the opened descriptor: it
/// cannot be replaced before it is read. As in the kernel, a path consists of bytes separated by slash bytes; a Swift
/// `Character` can contain a slash with a combining mark.
package struct OpenedPath: ~Copyable {
    /// The reason why a path cannot be opened.
    package struct Failure: Error {
        /// The value of `errno`.
        package let code: Int32
    }

    /// The maximum number of links that the kernel follows in a path (path_resolution(7)).
    private static let linkLimit = 40

    private let file: OpenDescriptor
    private let holder: OpenDescriptor
    /// The links that were followed, in order.
    let links: [SymbolicLink]

    /// The descriptor of the file or directory.
    package var descriptor: Int32 { file.number }
    /// The descriptor of the directory that contains it.
    var folder: Int32 { holder.number }

    /// Opens a file for reading.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - directory: The directory in which a relative path starts.
    ///   - name: The path of that directory in messages.
    /// - Throws: ``Failure`` if the file cannot be opened.
    package init(
        file path: String, in directory: Int32 = AT_FDCWD, named name: String = ""
    ) throws(Failure) {
        // Without O_NONBLOCK, a pipe without a writer would block the load forever.
        try self.init(path, in: directory, named: name, flags: O_NOCTTY | O_NONBLOCK)
    }

    /// Opens a directory for reading.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - directory: The directory in which a relative path starts.
    ///   - name: The path of that directory in messages.
    /// - Throws: ``Failure`` if the directory cannot be opened.
    init(directory path: String, in directory: Int32, named name: String) throws(Failure) {
        try self.init(path, in: directory, named: name, flags: O_DIRECTORY)
    }

    /// Opens a directory for reading.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base.
    ///   - base: The directory in which the path starts; empty for the current directory. Links in this path are not
    ///     recorded.
    /// - Throws: ``Failure`` if the directory cannot be opened.
    init(directory path: String, below base: String) throws(Failure) {
        let start = try OpenDescriptor(checking: xcb_open_directory(base.isEmpty ? "." : base))
        try self.init(directory: path, in: start.number, named: base)
    }

    private init(_ path: String, in directory: Int32, named name: String, flags: Int32) throws(Failure) {
        let text = Array(path.utf8)
        var folder = try OpenDescriptor(checking: xcb_look_up(directory, text.isAbsolutePath ? "/" : ".", O_DIRECTORY))
        var shown = text.isAbsolutePath ? "/" : name
        var rest = text.pathComponents
        var links: [SymbolicLink] = []
        while true {
            let component = rest.popLast() ?? [UInt8(ascii: ".")]
            let isLast = rest.isEmpty
            let shownComponent = join(shown, String(decoding: component, as: UTF8.self))
            var opened =
                isLast
                ? openat(folder.number, component.cString, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags)
                : xcb_look_up(folder.number, component.cString, O_DIRECTORY)
            var code = errno
            // For a link, the error is ENOTDIR if a directory was expected.
            if opened < 0, code == ELOOP || code == ENOTDIR,
                let link = SymbolicLink(component, in: folder.number, path: shownComponent)
            {
                links.append(link)
                guard links.count <= Self.linkLimit else { throw Failure(code: ELOOP) }
                guard link.isMagic else {
                    rest += link.text.pathComponents
                    if link.text.isAbsolutePath {
                        folder = try OpenDescriptor(checking: xcb_open_directory("/"))
                        shown = "/"
                    }
                    continue
                }
                opened = openat(folder.number, component.cString, O_RDONLY | O_CLOEXEC | (isLast ? flags : O_DIRECTORY))
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
            shown = shownComponent
        }
    }
}

/// A symbolic link on the way to a file.
struct SymbolicLink {
    let path: String
    /// The target, unchanged.
    let text: [UInt8]
    let owner: UInt32
    /// Whether root has created it; false if it is certainly not root's.
    let isInRootsFolder: Bool
    /// Whether only the kernel can follow it, because its text need not be a path (proc_pid_fd(5)).
    let isMagic: Bool

    /// The target, for messages.
    var target: String { String(decoding: text, as: UTF8.self) }

    /// Reads a link; nil if there is no link with this name.
    init?(_ name: [UInt8], in folder: Int32, path: String) {
        guard let link = try? OpenDescriptor(checking: xcb_look_up(folder, name.cString, 0)) else { return nil }
        var status = stat()
        guard fstat(link.number, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return nil }
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlinkat(link.number, "", &text, text.count)
        guard count > 0, count < text.count else { return nil }
        self.path = path
        self.text = text[..<count].map(UInt8.init(bitPattern:))
        owner = status.st_uid
        isInRootsFolder = UserNamespace.mayBeRoot(owner) && RootsFolders.holdLinks(folder)
        var processes = stat()
        isMagic = stat("/proc", &processes) == 0 && processes.st_dev == status.st_dev
    }
}

extension [UInt8] {
    fileprivate var isAbsolutePath: Bool { first == UInt8(ascii: "/") }

    /// The components of a path, in reverse order.
    fileprivate var pathComponents: [[UInt8]] { split(separator: UInt8(ascii: "/")).reversed().map(Array.init) }

    /// The text as a C string.
    fileprivate var cString: [CChar] { map(CChar.init(bitPattern:)) + [0] }
}

/// A file descriptor that is closed with its owner.
struct OpenDescriptor: ~Copyable {
    let number: Int32

    /// Takes ownership of the result of a system call.
    ///
    /// - Throws: ``OpenedPath/Failure`` with `errno` if the result is negative.
    init(checking number: Int32) throws(OpenedPath.Failure) {
        guard number >= 0 else { throw OpenedPath.Failure(code: errno) }
        self.number = number
    }

    deinit {
        close(number)
    }
}
