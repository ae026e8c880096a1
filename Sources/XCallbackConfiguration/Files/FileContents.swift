import Glibc

/// The bytes of a configuration file.
struct FileContents {
    // Major 1, minor 3; the macro that combines them is not imported.
    private static let nullDevice: dev_t = 0x103

    let bytes: [UInt8]

    /// Reads a complete file, or reports why that is not possible.
    ///
    /// Owner and mode are those of the opened file, so that it cannot be replaced between check and read. A file that
    /// other users could have written is still read, to report its other faults.
    init?(
        name: String, in directory: borrowing ConfigurationDirectory, limit: Int, ownership: FileOwnership,
        faults: FaultList, place: Place
    ) {
        let file: OpenedFile
        do throws(OpenedFile.Failure) {
            file = try OpenedFile(join(directory.path, name))
        } catch {
            faults.reportOpening(error.code, at: place)
            return nil
        }
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else {
            faults.report("cannot be read: \(reason(errno))", at: place)
            return nil
        }
        // A link to /dev/null masks units and drop-ins.
        if status.st_mode & S_IFMT == S_IFCHR, status.st_rdev == Self.nullDevice {
            bytes = []
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let kind = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "a special file"
            faults.report("expected a file, found \(kind)", at: place)
            return nil
        }
        let path = file.path
        let check = OwnershipCheck(ownership: ownership, place: place, faults: faults)
        check.check(status, of: "a file", at: path)
        // The directory itself is checked once for all its files.
        if ownership != .any, !directory.isFolder(of: path) { check.checkFolders(above: path) }
        guard let bytes = Self.read(file.descriptor, limit: limit, report: { faults.report($0, at: place) }) else {
            return nil
        }
        self.bytes = bytes
    }

    private static func read(_ descriptor: Int32, limit: Int, report: (String) -> Void) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 {
                let code = errno
                if code == EINTR { continue }
                report("cannot be read: \(reason(code))")
                return nil
            }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else {
                report("expected at most \(limit) bytes, found a larger file")
                return nil
            }
        }
    }
}
