import Glibc

/// The format of the start of a log line: for people and files, or for the journal.
package enum LogLineFormat: Hashable, Sendable {
    /// A timestamp and the level name, for a terminal or a file.
    case plain
    /// The priority in the format of sd-daemon(3), for the journal, which records the time itself.
    case journal

    /// Creates the format that suits a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: The destination of the lines.
    ///   - journalStream: The value of `$JOURNAL_STREAM`: device and inode of the journal stream. A service keeps the
    ///     variable even after its output was redirected, so only a match is valid (systemd.exec(5)).
    package init(descriptor: Int32, journalStream: String?) {
        var status = stat()
        guard let journalStream, fstat(descriptor, &status) == 0 else {
            self = .plain
            return
        }
        self = journalStream == "\(status.st_dev):\(status.st_ino)" ? .journal : .plain
    }
}
