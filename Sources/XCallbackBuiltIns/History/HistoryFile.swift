import Glibc
package import XCallbackLinux

/// A file of the history, and the one before it: JSON lines, which only their user reads.
///
/// Any number of processes may append: each line is one write, under a lock of the file.
package enum HistoryFile: String, CaseIterable, Sendable {
    /// What the desktop and commands asked.
    case own = "history"
    /// What assistants asked, which nothing else pushes out.
    case agents = "history-assistants"

    /// The maximum size of each of the two files in bytes.
    package static let limit = 4 << 20

    /// The path of the current file, and of the one before it.
    package func paths(in folder: String) -> (current: String, old: String) {
        ("\(folder)/\(rawValue).jsonl", "\(folder)/\(rawValue).old.jsonl")
    }

    /// Appends a line; the current file becomes the old one if it would become too large.
    ///
    /// - Parameters:
    ///   - line: The line, with its end.
    ///   - folder: The folder of the files.
    ///   - first: The line to which this one belongs, and where it begins: if it is gone, nothing is written.
    /// - Returns: Where the line begins; nil if it was not written.
    /// - Throws: ``SystemError``; then the file is as before.
    @discardableResult
    package func append(
        _ line: [UInt8], in folder: String, after first: (line: [UInt8], start: Int)? = nil
    ) throws(SystemError) -> Int? {
        let (path, old) = paths(in: folder)
        // Another process may replace the file meanwhile.
        for _ in 0..<10 {
            guard let file = try lock(path, creates: folder) else { continue }
            let number = file.number
            if let first {
                var found = [UInt8](repeating: 0, count: first.line.count)
                let count = pread(number, &found, found.count, off_t(first.start))
                if count < found.count || found != first.line { return nil }
            }
            let size = try wholeSize(of: number, path)
            if size > 0, size + line.count > Self.limit {
                _ = try SystemError.check("rename '\(path)'") { rename(path, old) }
                continue
            }
            let count = Glibc.write(number, line, line.count)
            let code = errno
            if count == line.count { return size }
            // A disk that is full takes a part.
            ftruncate(number, off_t(size))
            throw SystemError("write '\(path)'", code: count < 0 ? code : ENOSPC)
        }
        throw SystemError("open '\(path)'", code: EAGAIN)
    }

    /// Removes what is older than a time: after half of it the current file becomes the old one, and after the other half the old
    /// one goes.
    ///
    /// - Throws: ``SystemError``.
    package func prune(in folder: String, keeping time: Duration, at now: Duration) throws(SystemError) {
        let (path, old) = paths(in: folder)
        let half = time / 2
        var status = stat()
        if stat(old, &status) == 0, now - .seconds(status.st_mtim.tv_sec) > half { unlink(old) }
        guard let file = try lock(path, creates: nil), let start = Self.firstTime(in: file.number), now - start > half
        else { return }
        _ = try SystemError.check("rename '\(path)'") { rename(path, old) }
    }

    /// Removes both files.
    ///
    /// - Throws: ``SystemError``.
    package func clear(in folder: String) throws(SystemError) {
        let (path, old) = paths(in: folder)
        // A process that appends meanwhile starts a new file.
        let file = try lock(path, creates: nil)
        for path in [path, old] where unlink(path) < 0 && errno != ENOENT {
            throw SystemError("unlink '\(path)'", code: errno)
        }
        _ = consume file
    }

    /// Opens and locks the current file; nil if another process has just replaced it, or if there is none and none is created.
    private func lock(_ path: String, creates folder: String?) throws(SystemError) -> Descriptor? {
        if let folder { makeFolders(folder) }
        let number = open(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC | (folder == nil ? 0 : O_CREAT), 0o600)
        if number < 0, folder == nil, errno == ENOENT { return nil }
        let file = Descriptor(try SystemError.check("open '\(path)'") { number })
        _ = try SystemError.check("flock '\(path)'") { flock(number, LOCK_EX) }
        guard FileIdentity(ofFile: path) == FileIdentity(ofFile: "/proc/self/fd/\(number)") else { return nil }
        return file
    }

    /// Returns the size up to the last line end, after removing what a process that was killed has left behind it.
    private func wholeSize(of number: Int32, _ path: String) throws(SystemError) -> Int {
        var status = stat()
        _ = try SystemError.check("fstat '\(path)'") { fstat(number, &status) }
        var size = Int(status.st_size)
        var byte: UInt8 = 0
        while size > 0, pread(number, &byte, 1, off_t(size - 1)) == 1, byte != UInt8(ascii: "\n") { size -= 1 }
        if size < Int(status.st_size) { ftruncate(number, off_t(size)) }
        return size
    }

    /// The time of the first line: each begins with it.
    private static func firstTime(in number: Int32) -> Duration? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(number, &bytes, bytes.count, 0)
        let digits = bytes.prefix(max(count, 0)).dropFirst("{\"time\":".utf8.count).prefix {
            (0x30...0x39).contains($0)
        }
        return Int64(String(decoding: digits, as: UTF8.self)).map { .seconds($0) }
    }
}

/// Creates a folder for its user, and those above it that are missing.
package func makeFolders(_ folder: String) {
    for end in folder.indices.dropFirst() where folder[end] == "/" { mkdir(String(folder[..<end]), 0o700) }
    mkdir(folder, 0o700)
}
