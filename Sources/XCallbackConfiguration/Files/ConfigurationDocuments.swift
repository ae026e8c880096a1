/// The files of a configuration, parsed but not decoded.
package struct ConfigurationDocuments {
    /// The configuration file; nil if it could not be read.
    package private(set) var main: Node?
    /// The drop-ins that are not empty, sorted by file name.
    package private(set) var dropIns: [Node] = []
    /// The paths of all drop-ins, with those that are empty or could not be read.
    package private(set) var dropInPaths: Set<String> = []
    /// The name of the configuration file, without its directory.
    package let fileName: String
    /// Whether they are the files of the system's daemon; this depends on the searched folders, not on a file that a
    /// user names.
    package let isOfSystem: Bool
    /// Whether all files could be read; if not, a missing part may be in an unreadable file.
    package private(set) var isComplete = true

    /// Reads the files of a configuration.
    ///
    /// The configuration file is read from the directory with the highest precedence. Among drop-ins with the same
    /// name, the one in the directory with the highest precedence is read, so that an empty file masks the others.
    ///
    /// - Parameters:
    ///   - places: The places to search.
    ///   - reader: Reads the files.
    ///   - faults: The list to which faults are reported.
    ///   - paths: The paths of the drop-ins; nil for all.
    ///   - excluded: The paths of drop-ins that are not read, but mask others.
    package init(
        in places: ConfigurationPlaces, _ reader: DocumentReader, faults: FaultList, only paths: [String]? = nil,
        without excluded: Set<String> = []
    ) {
        fileName = places.fileName
        isOfSystem = places.isOfSystem == true
        // By the bytes of their names.
        var files: [[UInt8]: Node?] = [:]
        var isFound = false
        for folder in places.directories {
            do throws(ConfigurationDirectory.Unreadable) {
                let directory = try ConfigurationDirectory.open(
                    folder, isOptional: !places.isNamed, faults: faults)
                guard let directory else { continue }
                let hasFile = try directory.contains(fileName, faults)
                let hasDropIns = try directory.contains(ConfigurationPlaces.dropInDirectory, faults)
                if hasFile || hasDropIns { try directory.check(for: reader, mayBeSticky: true, faults) }
                if !isFound, hasFile || places.isNamed {
                    isFound = true
                    main = reader.read(fileName, in: directory, faults: faults)
                }
                if hasDropIns {
                    readDropIns(in: directory, reader, only: paths, without: excluded, into: &files, faults)
                }
            } catch {
                // A file of lower precedence must not replace one that cannot be examined.
                isFound = true
                isComplete = false
            }
        }
        if !isFound { Self.reportAbsence(of: places, faults) }
        if main == nil || files.values.contains(where: { $0 == nil }) { isComplete = false }
        if files.isEmpty { return }
        dropIns = files.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .compactMap(\.value).filter { !$0.isEmptyMapping }
    }

    /// Reads the drop-ins in a directory whose names are not taken yet; nil for those that cannot be read.
    private mutating func readDropIns(
        in directory: borrowing ConfigurationDirectory, _ reader: DocumentReader, only paths: [String]?,
        without excluded: Set<String>, into files: inout [[UInt8]: Node?], _ faults: FaultList
    ) {
        do throws(ConfigurationDirectory.Unreadable) {
            let dropIns = try directory.openDropIns(faults)
            try dropIns.check(for: reader, mayBeSticky: false, faults)
            for name in try dropIns.dropIns(faults) {
                let (path, key) = (join(dropIns.path, name), Array(name.fileName.utf8))
                if paths?.contains(path) == false { continue }
                if files.keys.contains(key) { continue }
                dropInPaths.insert(path)
                if excluded.contains(path) {
                    files[key] = Node(place: Place(file: path), content: .mapping([]))
                    continue
                }
                let isNamedRightly = name.hasSuffix(".yaml")
                if !isNamedRightly { Self.reportSuffix(of: name, in: dropIns.path, faults) }
                let file = isNamedRightly ? reader.read(name, in: dropIns, faults: faults) : nil
                files.updateValue(file, forKey: key)
            }
        } catch {
            isComplete = false
        }
    }

    /// Parses texts that are already in memory.
    ///
    /// - Parameters:
    ///   - main: The configuration file.
    ///   - dropIns: The drop-ins, in order.
    ///   - faults: The list to which faults are reported.
    package init(main: ConfigurationFile, dropIns: [ConfigurationFile], faults: FaultList) {
        let reader = DocumentReader(ownership: .any)
        fileName = main.name.fileName
        isOfSystem = false
        self.main = reader.parse(main.text, name: main.name, faults: faults)
        let files = dropIns.map { reader.parse($0.text, name: $0.name, faults: faults) }
        isComplete = self.main != nil && !files.contains { $0 == nil }
        self.dropIns = files.compactMap(\.self).filter { !$0.isEmptyMapping }
    }

    private static func reportSuffix(of name: String, in directory: String, _ faults: FaultList) {
        let stem = name[..<(name.lastIndex(of: ".") ?? name.endIndex)]
        faults.report(
            "expected the suffix '.yaml'; rename it to \("\(stem).yaml".quoted)",
            at: Place(file: join(directory, name)))
    }

    private static func reportAbsence(of places: ConfigurationPlaces, _ faults: FaultList) {
        let candidates = places.candidates
        guard let first = candidates.first else { return }
        let others = candidates.dropFirst().map { Place(file: $0).description }
        let elsewhere = others.isEmpty ? "" : ", nor at " + Array(others).alternatives
        faults.report(
            "there is no configuration here\(elsewhere); \(places.advice), or name one with '--config FILE'",
            at: Place(file: first), unread: places.isOfSystem == false ? nil : .missing)
    }
}

/// A file of a configuration: its name in messages, and its text.
package struct ConfigurationFile: Hashable, Sendable {
    /// The name in messages; a path if other paths are relative to it.
    package let name: String
    /// The text.
    package var text: String

    /// Creates a file.
    package init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }
}
