import CLinux
import Glibc
import XCallbackLinux

/// The folder in which outgoing calls outlive the daemon: one file per call, readable only by the daemon's user.
///
/// A call lasts a day at most and does not survive a reboot, which ends the waiting processes: no file is synced to disk.
struct CallFolder {
    /// The suffix of a file while it is written.
    private static let unfinished = ".new"

    /// Its path.
    let path: String

    /// Creates the folder if it does not exist.
    ///
    /// - Throws: ``SystemError`` if the folder cannot be created, or if other users can access it.
    func make() throws(SystemError) {
        var end = path.startIndex
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            let folder = String(path[..<end])
            do throws(SystemError) {
                _ = try SystemError.check("mkdir '\(folder)'") { mkdir(folder, 0o700) }
            } catch {
                if error.code != EEXIST { throw error }
            }
        }
        var status = stat()
        _ = try SystemError.check("stat '\(path)'") { lstat(path, &status) }
        let isOwn = status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
        if !isOwn { throw SystemError("'\(path)' must be a private folder of the current user", code: EPERM) }
    }

    /// Writes a record atomically, replacing the one with the same mark.
    ///
    /// - Throws: ``SystemError`` if the record cannot be written.
    func write(_ record: CallRecord) throws(SystemError) {
        let name = "\(path)/\(record.mark)"
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let new = name + Self.unfinished
        do throws(SystemError) {
            let file = Descriptor(try SystemError.check("open") { xcb_open(new, flags, 0o600) })
            try Self.write(record.bytes, to: file.number)
            _ = try SystemError.check("rename") { xcb_rename(new, name) }
        } catch {
            unlink(new)
            throw error
        }
    }

    private static func write(_ bytes: [UInt8], to file: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try SystemError.check("write") {
                Int32(rest.withUnsafeBytes { xcb_write(file, $0.baseAddress, $0.count) })
            }
            rest.removeFirst(Int(count))
        }
    }

    /// Removes the record with a mark.
    func remove(_ mark: String) {
        unlink("\(path)/\(mark)")
    }

    /// Reads all records, and removes invalid ones.
    ///
    /// - Returns: The records, unordered; empty if the folder does not exist.
    func read() -> [CallRecord] {
        var records: [CallRecord] = []
        for name in names() {
            let isWhole = isMark(name)
            // Other files do not belong to the daemon.
            guard isWhole || name.hasSuffix(Self.unfinished) && isMark(String(name.dropLast(Self.unfinished.count)))
            else { continue }
            if isWhole, let record = read(name) { records.append(record) } else { remove(name) }
        }
        return records
    }

    private func names() -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            names.append(name)
        }
        return names
    }

    private func read(_ name: String) -> CallRecord? {
        let number = xcb_open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
        guard number >= 0 else { return nil }
        let file = Descriptor(number)
        var status = stat()
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_size <= CallRecord.limit
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        guard Glibc.read(file.number, &bytes, bytes.count) == bytes.count else { return nil }
        return CallRecord(name, reading: bytes)
    }

    private func isMark(_ name: String) -> Bool {
        name.utf8.count == 64 && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
