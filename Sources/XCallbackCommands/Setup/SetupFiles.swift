import Glibc

/// What is to be done with the files of an example, before anything is.
struct SetupFiles {
    /// Those that have to be written.
    private(set) var missing: [WrittenFile] = []
    /// Those that the user has edited, and that stay as they are.
    private(set) var edited: [WrittenFile] = []
    /// The files of the example, as they are recorded.
    private(set) var recorded: [WrittenFile] = []
    /// The settings for all routes, if they have to be written.
    let settings: WrittenFile?

    /// Looks at the files.
    ///
    /// - Parameters:
    ///   - setup: What is set up.
    ///   - record: What was set up before.
    /// - Throws: ``Failure`` if there is a file that somebody else has written, or one cannot be read.
    init(for setup: Setup, _ record: SetupRecord) throws(Failure) {
        settings = SetupSettings.file(
            in: setup.folders, "'xcallback setup'; 'xcallback setup --undo NAME' removes it with the last example")
        missing = settings.map { [$0] } ?? []
        for file in setup.example.files(in: setup.folders, isPublic: setup.answers.isPublic) {
            let old = record[setup.example.name]?.files.first { $0.path == file.path }
            try add(file, old)
        }
    }

    private mutating func add(_ file: WrittenFile, _ old: WrittenFile?) throws(Failure) {
        switch try file.state() {
        case .written: recorded.append(file)
        case .missing, .notExecutable:
            recorded.append(file)
            missing.append(file)
        case .other:
            guard let old else {
                throw Failure(
                    .errorAnswer,
                    "'\(file.path)' already exists and was not written by 'xcallback setup'; nothing was changed\n"
                        + "move it away first")
            }
            let isUnedited = try old.state() != .other
            recorded.append(isUnedited ? file : old)
            if isUnedited { missing.append(file) } else { edited.append(old) }
        }
    }

    /// What is made for the files and by the desktop's tools, and is not there yet.
    ///
    /// - Parameters:
    ///   - folders: The user's folders.
    ///   - registersSchemes: Whether schemes are registered.
    /// - Returns: The paths, those of folders around others first.
    /// - Throws: ``Failure`` if nothing tells where the folders are.
    func newPlaces(_ folders: UserFolders, registersSchemes: Bool) throws(Failure) -> [String] {
        let unit = "\(folders.configurationHome)/systemd/user/sockets.target.wants/\(UserUnit.name)"
        var paths = missing.map(\.path) + [folders.record, unit] + folders.calls.map { "\($0)/" }
        var caches: [String] = []
        if registersSchemes {
            let desktop = try DesktopFolders()
            let cache = "\(desktop.applications)/\(DesktopFolders.cacheName)"
            paths += [cache, desktop.defaults.path]
            if access(cache, F_OK) != 0 { caches = [cache] }
        }
        return MadeFolders.missing(for: paths) + caches
    }
}
