/// The size limits of a configuration file.
package struct DocumentLimits: Hashable, Sendable {
    /// The maximum number of bytes.
    package var byteCount = 1_048_576
    /// The maximum number of values, including those that an alias repeats.
    package var nodeCount = 1_000_000
    /// The maximum nesting depth of lists and mappings.
    package var depth = 64

    /// Creates the default limits: 1 MiB, a million values, 64 levels.
    package init() {}
}

/// Reads YAML files into nodes; all faults go into one list.
package struct DocumentReader: Sendable {
    /// The required owner of the files.
    package var ownership: FileOwnership
    /// The size limits.
    package var limits: DocumentLimits
    /// Whether a file or directory with a fault counts as unreadable; otherwise a file is read to find its other faults.
    var dropsFaulty: Bool

    /// Creates a reader.
    package init(
        ownership: FileOwnership, limits: DocumentLimits = DocumentLimits(), dropsFaulty: Bool = false
    ) {
        (self.ownership, self.limits, self.dropsFaulty) = (ownership, limits, dropsFaulty)
    }

    /// Reads a file, following symbolic links.
    ///
    /// An empty file and `/dev/null` are an empty mapping.
    ///
    /// - Parameters:
    ///   - name: The name of the file in its directory.
    ///   - directory: The directory.
    ///   - faults: The list to which faults are reported.
    /// - Returns: The value of the file; `nil` if it is missing or not YAML. Faults are possible even with a value.
    func read(_ name: String, in directory: borrowing ConfigurationDirectory, faults: FaultList) -> Node? {
        let (path, count) = (join(directory.path, name), faults.reportCount)
        let bytes = OpenedFile.bytes(
            of: name, in: directory, limit: limits.byteCount, ownership, faults, at: Place(file: path))
        let node = bytes.flatMap { parse($0, name: path, faults: faults) }
        return dropsFaulty && faults.reportCount > count ? nil : node
    }

    /// Parses a text that is already in memory.
    ///
    /// - Parameters:
    ///   - text: The YAML text.
    ///   - name: The name in messages.
    ///   - faults: The list to which faults are reported.
    /// - Returns: The value; `nil` if the text is not YAML.
    package func parse(_ text: String, name: String, faults: FaultList) -> Node? {
        parse(Array(text.utf8), name: name, faults: faults)
    }

    /// Parses bytes that should be UTF-8, with or without a byte order mark.
    ///
    /// - Parameters:
    ///   - bytes: The YAML text.
    ///   - name: The name in messages.
    ///   - faults: The list to which faults are reported.
    /// - Returns: The value; `nil` if the text is not YAML.
    package func parse(_ bytes: [UInt8], name: String, faults: FaultList) -> Node? {
        guard bytes.count <= limits.byteCount else {
            faults.report("expected at most \(limits.byteCount) bytes, found \(bytes.count)", at: Place(file: name))
            return nil
        }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(byteOrderMark.count)) : bytes
        let source = Source(name: name, bytes: bytes)
        faults.keep(source)
        if let bad = source.firstBadCharacter {
            var columns = ColumnCounter(source: source)
            let column = columns.column(line: bad.line, offset: bad.offset)
            faults.report(bad.message, at: Place(file: name, line: bad.line, column: column))
            return nil
        }
        var composer = Composer(source: source, limits: limits, faults: faults)
        do {
            return try composer.document()
        } catch {
            return nil
        }
    }
}
