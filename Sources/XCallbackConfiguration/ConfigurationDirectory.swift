import Glibc

/// An open directory with configuration files.
///
/// What is in it is opened through its descriptor, so that it is the directory whose owner was checked.
struct ConfigurationDirectory: ~Copyable {
    /// The path as messages show it; empty for the current directory.
    let path: String
    let descriptor: Int32

    /// Opens a directory; nil if it is not there, or after a fault.
    ///
    /// - Parameters:
    ///   - path: The path; what is relative is looked up in the current directory.
    ///   - isOptional: Whether it may be absent. What the caller may not look into is not meant for them, as good as
    ///     absent: other users cannot look into the runtime directory of the system's daemon.
    ///   - ownership: Whom it must belong to.
    ///   - faults: Where faults are reported.
    /// - Returns: The directory. There can be faults with it too.
    static func open(
        _ path: String, isOptional: Bool, ownership: FileOwnership, faults: FaultList
    ) -> ConfigurationDirectory? {
        let descriptor = openat(AT_FDCWD, path.isEmpty ? "." : path, flags)
        let code = errno
        if descriptor < 0, isOptional, code == ENOENT || code == EACCES { return nil }
        return checked(descriptor, code, path, ownership, mayBeSticky: true, faults)
    }

    /// Opens the directory of the drop-ins in this one; nil if there is none, or after a fault.
    func openDropIns(ownership: FileOwnership, faults: FaultList) -> ConfigurationDirectory? {
        let name = ConfigurationPlaces.dropInDirectory
        guard contains(name) else { return nil }
        let child = openat(descriptor, name, Self.flags)
        return Self.checked(child, errno, join(path, name), ownership, mayBeSticky: false, faults)
    }

    private static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

    private static func checked(
        _ descriptor: Int32, _ code: Int32, _ path: String, _ ownership: FileOwnership, mayBeSticky: Bool,
        _ faults: FaultList
    ) -> ConfigurationDirectory? {
        guard descriptor >= 0 else {
            faults.report("cannot be opened: \(reason(code))", at: place(of: path))
            return nil
        }
        var status = stat()
        if fstat(descriptor, &status) == 0 {
            // In a sticky directory such as /tmp nobody can put a file in the place of another's.
            if mayBeSticky, status.st_mode & 0o1000 != 0 { status.st_mode &= ~0o022 }
            ownership.check(status, of: place(of: path), what: "a directory", faults: faults)
        } else {
            faults.report("cannot be read: \(reason(errno))", at: place(of: path))
        }
        return ConfigurationDirectory(path: path, descriptor: descriptor)
    }

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    private static func place(of path: String) -> Place { Place(file: path.isEmpty ? "." : path) }

    /// Whether there is anything with a name, even a link that leads nowhere.
    func contains(_ name: String) -> Bool {
        var status = stat()
        return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// The names of the drop-ins; reports those that were likely meant to be some.
    ///
    /// Hidden files and what editors and package managers leave behind are passed over.
    func dropIns(_ faults: FaultList) -> [String] {
        names(faults).filter { name in
            if name.hasPrefix(".") { return false }
            if name.hasSuffix(".yaml") { return true }
            let lower = name.lowercased()
            if lower.hasSuffix(".yml") || lower.hasSuffix(".yaml") {
                let stem = name[..<(name.lastIndex(of: ".") ?? name.endIndex)]
                faults.report(
                    "expected the suffix '.yaml'; rename it to \("\(stem).yaml".quoted)",
                    at: Place(file: join(path, name)))
            }
            return false
        }
    }

    private func names(_ faults: FaultList) -> [String] {
        // The stream closes the descriptor that it is given.
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard let stream = fdopendir(copy) else {
            faults.report("cannot be read: \(reason(errno))", at: Self.place(of: path))
            close(copy)
            return []
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
        if code != 0 { faults.report("cannot be read: \(reason(code))", at: Self.place(of: path)) }
        return names
    }
}

/// The system's words for a value of `errno`, as the end of a message.
func reason(_ code: Int32) -> String {
    let text = String(cString: strerror(code))
    return text.prefix(1).lowercased() + text.dropFirst()
}
