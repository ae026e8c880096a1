import Glibc
import XCallbackLinux
import XCallbackPrograms

/// A message that the user must see even if the command's output goes unread.
struct UserNotice {
    /// The timeout of a notification.
    private static let patience = Duration.seconds(1)

    /// The application of the URL: a scheme.
    let application: String
    /// The problem, in a few words.
    let title: String
    /// The details.
    let text: String

    /// Reports it on standard error, in the journal, and as a desktop notification if possible.
    ///
    /// Of several notices of one application in a short time, the first is a notification, followed by their number.
    ///
    /// - Parameter summary: The text for the journal, if the full text contains values of a request.
    func tell(journal summary: String? = nil) {
        let line = "\(application): \(title): \(summary ?? text)"
        if Self.errorsGoToTheJournal {
            Terminal.printError("xcallback: \(line)")
        } else {
            Terminal.printError("xcallback: \(application): \(title)\n\(text)")
            log(line)
        }
        guard let file = NoticeFile(of: application) else { return Self.show("\(application): \(title)", text) }
        switch file.take("\(title): \(text)") {
        case .show: Self.show("\(application): \(title)", text)
        case .beginSum: beginSum()
        case .count: break
        }
    }

    /// Starts a separate process that shows the summary later, because the caller does not wait.
    private func beginSum() {
        do {
            try ToolRun.leave(["/proc/self/exe", "sum-up", application])
        } catch {
            Terminal.printError("xcallback: cannot start 'xcallback sum-up': \(error)")
        }
    }

    /// Shows a notification, if a program for that exists.
    static func show(_ title: String, _ text: String) {
        guard ToolRun.isInstalled("notify-send") else { return }
        // The desktop decides whether it is shown; the standard error of the tool would only repeat the message.
        _ = ToolRun(asking: DesktopNotice.command(title, text), limit: patience)
    }

    /// Whether standard error is the journal stream that the service manager has opened.
    private static var errorsGoToTheJournal: Bool {
        var status = stat()
        guard let stream = variable("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    /// Writes a line to the journal.
    private func log(_ message: String) {
        openlog("xcallback", LOG_PID, LOG_USER)
        message.withVisibleControls.withCString { text in
            withVaList([text]) { vsyslog(LOG_ERR, "%s", $0) }
        }
        closelog()
    }
}
