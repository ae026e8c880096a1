import Glibc

/// The plan for the files of an example.
struct SetupFiles {
    /// The files to write.
    private(set) var missing: [WrittenFile] = []
    /// The files that the user has edited, which stay unchanged.
    private(set) var edited: [WrittenFile] = []
    /// The files of the example for the record.
    private(set) var recorded: [WrittenFile] = []
    /// The settings for all routes, if they must be written.
    let settings: WrittenFile?

    /// Inspects the files.
    ///
    /// - Parameters:
    ///   - setup: The setup.
    ///   - record: The record of earlier setups.
    /// - Throws: ``Failure`` if a file of another author exists, or a file cannot be read.
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

    /// Returns the places that the files and the desktop's tools create, and that do not exist yet.
    ///
    /// - Parameters:
    ///   - folders: The user's folders.
    ///   - registersSchemes: Whether schemes are registered.
    /// - Returns: The paths, parent folders first.
    /// - Throws: ``Failure`` if the folders cannot be determined.
    func newPlaces(_ folders: UserFolders, registersSchemes: Bool) throws(Failure) -> [String] {
        let unit = "\(folders.configurationHome)/systemd/user/sockets.target.wants/\(UserUnit.name)"
        var paths = missing.map(\.path) + [folders.record, unit]
        var caches: [String] = []
        if registersSchemes {
            let desktop = try DesktopFolders()
            let cache = "\(desktop.applications)/\(DesktopFolders.cacheName)"
            paths += [cache, desktop.defaults.path, try AutostartEntry().path]
            if access(cache, F_OK) != 0 { caches = [cache] }
        }
        return MadeFolders.missing(for: paths) + caches
    }
}
