/// How large a configuration file may be.
package struct DocumentLimits: Hashable, Sendable {
    /// The most bytes of a file.
    package var byteCount = 1_048_576
    /// The most values of a file, where those that an alias repeats count again.
    package var nodeCount = 1_000_000
    /// How deep lists and mappings may stand within one another.
    package var depth = 64

    /// Creates the default limits: 1 MiB, a million values, 64 levels.
    package init() {}
}

/// Reads YAML files into nodes, all faults into one list.
package struct DocumentReader: Sendable {
    /// Whom the files must belong to.
    package var ownership: FileOwnership
    /// How large they may be.
    package var limits: DocumentLimits

    /// Creates a reader.
    package init(ownership: FileOwnership, limits: DocumentLimits = DocumentLimits()) {
        self.ownership = ownership
        self.limits = limits
    }

    /// Reads a file, following symbolic links.
    ///
    /// An empty file and `/dev/null` are an empty mapping.
    ///
    /// - Parameters:
    ///   - name: The file's name in its directory.
    ///   - directory: Its directory.
    ///   - faults: Where faults are reported.
    /// - Returns: The file's value, or `nil` if it is not there or not YAML. There can be faults with a value too.
    func read(_ name: String, in directory: borrowing ConfigurationDirectory, faults: FaultList) -> Node? {
        let path = join(directory.path, name)
        let contents = FileContents(
            name: name, in: directory, limit: limits.byteCount, ownership: ownership, faults: faults,
            place: Place(file: path))
        return contents.flatMap { parse($0.bytes, name: path, faults: faults) }
    }

    /// Reads a text that is in memory already.
    ///
    /// - Parameters:
    ///   - text: The YAML text.
    ///   - name: What messages call it.
    ///   - faults: Where faults are reported.
    /// - Returns: Its value, or `nil` if it is not YAML.
    package func parse(_ text: String, name: String, faults: FaultList) -> Node? {
        parse(Array(text.utf8), name: name, faults: faults)
    }

    /// Reads bytes that should be UTF-8, with or without a byte order mark.
    ///
    /// - Parameters:
    ///   - bytes: The YAML text.
    ///   - name: What messages call it.
    ///   - faults: Where faults are reported.
    /// - Returns: Its value, or `nil` if it is not YAML.
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
