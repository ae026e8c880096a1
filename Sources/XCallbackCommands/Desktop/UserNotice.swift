import Glibc

/// Something that the user has to know, though nobody may look at the command's output.
struct UserNotice {
    /// How long a notification may take.
    private static let patience = Duration.seconds(1)

    /// What is wrong, in a few words.
    let title: String
    /// What there is to say about it.
    let text: String

    /// Tells it on standard error, in the journal, and as a notification of the desktop if that can be.
    ///
    /// - Parameter summary: What the journal gets instead of the text, if that holds what came with a request.
    func tell(journal summary: String? = nil) {
        Output.printError("xcallback: \(title)\n\(text)".withVisibleLines)
        log("\(title): \(summary ?? text)")
        guard ToolRun.isInstalled("notify-send") else { return }
        // Whether it is shown is the desktop's business; its standard error would only repeat what was told.
        _ = ToolRun(
            asking: ["notify-send", "--app-name=xcallback", "--", title, text.withoutMarkup], limit: Self.patience)
    }

    /// Writes a line to the journal, unless standard error leads there already.
    private func log(_ message: String) {
        if variable("JOURNAL_STREAM") != nil { return }
        openlog("xcallback", LOG_PID, LOG_USER)
        message.withVisibleControls.withCString { text in
            withVaList([text]) { vsyslog(LOG_ERR, "%s", $0) }
        }
        closelog()
    }
}

extension String {
    /// The text with its control characters visible, but for the ends of its lines.
    fileprivate var withVisibleLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).withVisibleControls }
            .joined(separator: "\n")
    }

    /// The text as notifications take it, which read some elements of HTML.
    fileprivate var withoutMarkup: String {
        var result = ""
        for character in self {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
        return result
    }
}
