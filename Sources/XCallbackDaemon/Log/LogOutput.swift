import Glibc
package import Logging
import XCallbackLinux

/// The destination of log events.
package protocol LogOutput: AnyObject, Sendable {
    /// Whether a write blocks until the reader has made room: for a process that has nothing else to do.
    var waitsForRoom: Bool { get set }

    /// Writes an event, or counts it as lost.
    func write(level: Logger.Level, message: String, metadata: Logger.Metadata)

    /// Writes a text for people, line by line.
    func write(level: Logger.Level, text: String)

    /// Waits a moment until everything is written: call it before the process ends.
    func finish()

    /// Waits until the reader can determine where the last event came from: call it before a short-lived process ends.
    func linger()
}

extension LogOutput {
    /// Does nothing: an output that writes at once has nothing to wait for.
    package func finish() {}

    /// Does nothing: the unit of standard error does not depend on the process.
    package func linger() {}

    /// Returns the lines of a text, whether or not the last one ends in a line feed.
    static func lines(of text: String) -> [Substring] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// Returns the sentence about lost events.
    static func sentence(ofLost count: Int, _ reason: String) -> String {
        "\(count == 1 ? "1 log line was" : "\(count) log lines were") lost: \(reason)"
    }
}

extension StandardErrorLogHandler {
    /// Creates the output for standard error: the journal if standard error leads there, otherwise lines.
    ///
    /// A process that cannot reach the journal's socket, for example in a root directory of its own, writes lines with
    /// priorities.
    package static func makeOutput() -> any LogOutput {
        lineFormat == .journal && JournalOutput.isReachable ? JournalOutput() : makeBriefOutput()
    }

    /// Creates the output of a short-lived process: lines on standard error.
    ///
    /// The journal knows the unit of such lines; for an entry it would look up the unit too late.
    package static func makeBriefOutput() -> any LogOutput {
        LineOutput(descriptor: STDERR_FILENO, format: lineFormat)
    }

    private static var lineFormat: LogLineFormat {
        isJournal(STDERR_FILENO) ? .journal : .plain
    }
}

/// Writes each event as a line to standard error, for people and files, or as a journal entry.
///
///     2026-11-21T06:10:00.123Z info  route table loaded routes=12
///     <6>route table loaded routes=12
///
/// Metadata is sorted by key; values with blanks, quotes or control characters are quoted and escaped. The label and the
/// source location are omitted.
package struct StandardErrorLogHandler: LogHandler {
    /// The minimum level of the events that reach the handler.
    package var logLevel: Logger.Level = .info
    /// Metadata added to each event; the event's own metadata takes precedence.
    package var metadata: Logger.Metadata = [:]
    private let output: any LogOutput

    /// Creates a handler.
    ///
    /// - Parameter output: The destination, ``makeOutput()`` in a program; all handlers share it, so that lost events
    ///   are counted once.
    package init(output: any LogOutput) {
        self.output = output
    }

    /// The metadata value of a key.
    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an event; never blocks on its reader.
    package func log(event: LogEvent) {
        let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
        output.write(level: event.level, message: event.message.description, metadata: metadata)
    }
}
