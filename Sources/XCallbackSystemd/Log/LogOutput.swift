import Glibc
package import Logging

/// Where the events of the log go.
package protocol LogOutput: AnyObject, Sendable {
    /// Whether an event waits until its reader has made room for it: while a process has nothing else to do.
    var waitsForRoom: Bool { get set }

    /// Writes one event, or counts it as lost.
    func write(level: Logger.Level, message: String, metadata: Logger.Metadata)

    /// Writes a text for people, line by line.
    func write(level: Logger.Level, text: String)

    /// Waits for a moment until everything is written: call it before the process ends.
    func finish()

    /// Waits until the reader can tell from where the last event is: call it before a process ends that has just begun.
    func linger()
}

extension LogOutput {
    /// The lines of a text, whether or not the last one has its end.
    static func lines(of text: String) -> [Substring] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// Tells how many events were lost.
    static func sentence(ofLost count: Int, _ reason: String) -> String {
        "\(count == 1 ? "1 log line was" : "\(count) log lines were") lost: \(reason)"
    }
}

extension StandardErrorLogHandler {
    /// Creates the output that standard error stands for: the journal if it leads there, else its lines.
    ///
    /// What has no way to the journal's socket, as in a root directory of its own, writes lines with priorities.
    package static func makeOutput() -> any LogOutput {
        lineFormat == .journal && JournalOutput.isReachable ? JournalOutput() : makeBriefOutput()
    }

    /// Creates the output of a process that is soon over: lines of standard error.
    ///
    /// The journal knows the unit of such lines, where it would look for that of an entry too late.
    package static func makeBriefOutput() -> any LogOutput {
        LineOutput(descriptor: STDERR_FILENO, format: lineFormat)
    }

    private static var lineFormat: LogLineFormat {
        LogLineFormat(descriptor: STDERR_FILENO, journalStream: getenv("JOURNAL_STREAM").map { String(cString: $0) })
    }
}
