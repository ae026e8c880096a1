import Glibc

/// How a line of the log begins: for people and files, or for the journal.
package enum LogLineFormat: Hashable, Sendable {
    /// A timestamp and the name of the level, for a terminal or a file.
    case plain
    /// The priority as sd-daemon(3) has it, for the journal, which keeps the time itself.
    case journal

    /// Creates the format that suits a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: Where the lines go.
    ///   - journalStream: The value of `$JOURNAL_STREAM`: device and inode of the stream to the journal. It is set
    ///     for a service also after its output was redirected, so that only a match counts (systemd.exec(5)).
    package init(descriptor: Int32, journalStream: String?) {
        var status = stat()
        guard let journalStream, fstat(descriptor, &status) == 0 else {
            self = .plain
            return
        }
        self = journalStream == "\(status.st_dev):\(status.st_ino)" ? .journal : .plain
    }
}
