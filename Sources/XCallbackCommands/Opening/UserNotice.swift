import Glibc
import XCallbackLinux
import XCallbackPrograms

/// Something that the user has to know, though nobody may look at the command's output.
struct UserNotice {
    /// How long a notification may take.
    private static let patience = Duration.seconds(1)

    /// The application whose URL it is: a scheme.
    let application: String
    /// What is wrong, in a few words.
    let title: String
    /// What there is to say about it.
    let text: String

    /// Tells it on standard error, in the journal, and as a notification of the desktop if that can be.
    ///
    /// Of many notices of one application in a short time, the first is a notification, and then their number.
    ///
    /// - Parameter summary: What the journal gets instead of the text, if that holds what came with a request.
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

    /// Has another process show what follows: nobody waits for that.
    private func beginSum() {
        do {
            try ToolRun.leave(["/proc/self/exe", "sum-up", application])
        } catch {
            Terminal.printError("xcallback: cannot start 'xcallback sum-up': \(error)")
        }
    }

    /// Shows a notification, if there is a program for that.
    static func show(_ title: String, _ text: String) {
        guard ToolRun.isInstalled("notify-send") else { return }
        // Whether it is shown is the desktop's business; its standard error would only repeat what was told.
        _ = ToolRun(asking: DesktopNotice.command(title, text), limit: patience)
    }

    /// Whether standard error is the stream of the journal that the service manager has opened.
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
