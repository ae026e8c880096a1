import Glibc
import XCallbackClient
import XCallbackLinux

/// The user's registration of schemes with the desktop.
struct Registration {
    private let folders: DesktopFolders

    /// Locates the user's files.
    ///
    /// - Throws: ``Failure`` if their locations cannot be determined, or belong to another user than root who runs the command.
    init() throws(Failure) {
        folders = try DesktopFolders()
        try checkOwner(of: folders.applications)
        try checkOwner(of: folders.defaults.path)
    }

    /// Checks that root does not write through the links of another user.
    private func checkOwner(of path: String) throws(Failure) {
        guard geteuid() == 0 else { return }
        for index in path.indices.dropFirst() where path[index] == "/" {
            let folder = String(path[..<index])
            var (link, target) = (stat(), stat())
            guard lstat(folder, &link) == 0, stat(folder, &target) == 0 else { return }
            guard let owner = [link.st_uid, target.st_uid].first(where: { $0 != 0 }) else { continue }
            let user = UserDatabase.name(of: owner)
            throw Failure(
                .errorAnswer,
                "'\(folder)' belongs to \(user.map { "user \($0)" } ?? "uid \(owner)"): root does not write through another "
                    + "user's links; nothing was changed\n"
                    + "run it as that user\(user.map { ": runuser -u \($0) -- xcallback …" } ?? "")")
        }
    }

    /// Adds schemes to the user's entry.
    ///
    /// The user's entry takes precedence over those that are installed for all users: if one of those is to keep its scheme, it
    /// is added to the user's choices.
    ///
    /// - Parameters:
    ///   - schemes: The schemes, in lower case.
    ///   - asDefault: Whether the command takes precedence over other applications with the schemes.
    /// - Returns: The path of the entry that starts the daemon, if it was written, too.
    /// - Throws: ``Failure`` if a file cannot be read or written.
    @discardableResult
    func add(_ schemes: [String], asDefault: Bool) throws(Failure) -> String? {
        let old = try folders.readEntry()
        let program = try Self.program()
        var entry = DesktopEntry(program: program, schemes: (old?.schemes ?? []) + schemes)
        entry.keptDefaults = old?.keptDefaults ?? [:]
        let new = Set(schemes).subtracting(old?.schemes ?? []).sorted()
        let others = asDefault ? [:] : try othersToKeep(new)
        entry.keptDefaults.merge(others) { $1 }
        try write(entry)
        if asDefault {
            try changeDefaults(of: schemes) { $0.prefer(DesktopEntry.name, for: DesktopEntry.type(of: $1)) }
        } else {
            try changeDefaults(of: others.keys.sorted()) { $0.prefer(others[$1] ?? "", for: DesktopEntry.type(of: $1)) }
        }
        updateDatabase()
        let start = try AutostartEntry()
        return try start.add(beside: program) ? start.path : nil
    }

    /// Returns the applications that own schemes without being among the user's choices, by scheme.
    private func othersToKeep(_ schemes: [String]) throws(Failure) -> [String: String] {
        let defaults = MimeDefaults(try folders.defaults.read() ?? "")
        return schemes.reduce(into: [:]) { others, scheme in
            guard let other = OwnerReport.otherOwner(SchemeOwner(asking: scheme)), DesktopEntry.canKeep(other),
                !defaults.contains(other, for: DesktopEntry.type(of: scheme))
            else { return }
            others[scheme] = other
        }
    }

    /// Removes schemes from the user's entry, and the entry with its last scheme.
    ///
    /// - Parameter schemes: The schemes, in lower case; nil for all.
    /// - Returns: The schemes that were registered.
    /// - Throws: ``Failure`` if a file cannot be read or written.
    func remove(_ schemes: [String]?) throws(Failure) -> [String] {
        guard let old = try folders.readEntry() else { return [] }
        let removed = old.schemes.filter { schemes?.contains($0) ?? true }
        let kept = old.schemes.filter { !removed.contains($0) }
        try changeDefaults(of: removed) { defaults, scheme in
            let type = DesktopEntry.type(of: scheme)
            defaults.drop(DesktopEntry.name, for: type)
            if let other = old.keptDefaults[scheme] { defaults.drop(other, for: type) }
        }
        if kept.isEmpty {
            try folders.entry.remove()
            try AutostartEntry().remove()
        } else {
            var entry = DesktopEntry(program: old.program, schemes: kept)
            entry.keptDefaults = old.keptDefaults.filter { kept.contains($0.key) }
            try write(entry)
        }
        updateDatabase()
        return removed
    }

    private func write(_ entry: DesktopEntry) throws(Failure) {
        try folders.entry.replace(with: entry.text)
    }

    /// Changes the user's choices; an empty file is removed.
    private func changeDefaults(
        of schemes: [String], _ change: (inout MimeDefaults, String) -> Void
    ) throws(Failure) {
        let old = MimeDefaults(try folders.defaults.read() ?? "")
        var new = old
        for scheme in schemes { change(&new, scheme) }
        if new == old { return }
        if new.text.isEmpty { try folders.defaults.remove() } else { try folders.defaults.replace(with: new.text) }
    }

    /// Updates the cache that gio reads; xdg-mime reads the entries themselves.
    private func updateDatabase() {
        let tool = "update-desktop-database"
        guard ToolRun.isInstalled(tool) else {
            return Terminal.printError(
                "xcallback: '\(tool)' is not installed (package desktop-file-utils): gio may not see the change")
        }
        let run = ToolRun(asking: [tool, folders.applications])
        if run.ending != .exited(0) {
            Terminal.printError("xcallback: '\(tool)' failed: gio may not see the change")
        }
    }

    /// The absolute path of the running command, because the desktop's `PATH` may differ.
    private static func program() throws(Failure) -> String {
        guard let pointer = realpath("/proc/self/exe", nil) else {
            throw Failure(.errorAnswer, "cannot find the path of this program: \(systemMessage(errno))")
        }
        defer { free(pointer) }
        let path = String(cString: pointer)
        guard DesktopEntry.canHold(program: path) else {
            throw Failure(
                .errorAnswer,
                "desktops cannot start '\(path)' reliably: its path has characters other than letters, digits and "
                    + "'/._-+,:@'\ninstall it elsewhere")
        }
        return path
    }
}
