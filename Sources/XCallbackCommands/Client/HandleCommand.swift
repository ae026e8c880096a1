import ArgumentParser
import Glibc
import XCallbackClient
import XCallbackLinux
import XCallbackRouter
import XCallbackURL

/// Passes a URL from the desktop to the daemon, and the answer to its callback.
struct HandleCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "handle",
        abstract: "Handle a URL of the desktop. The desktop entry runs this command.",
        discussion: """
            The URL reaches only public routes, because it can come from a web page. The daemon follows a callback to \
            one of its own schemes; any other callback is opened. An error without x-error, and a callback that cannot \
            be opened, are reported on standard error, in the journal, and as a notification. Prints nothing on \
            standard output.

            With --browser, that browser opens a link of the web as it was clicked, and a notification says why, if the daemon \
            cannot be reached, takes longer than 5 s, or answers with an error.

            Example: xcallback handle -- 'notes://x-callback-url/create?title=Milk&x-success=app://done'

            Exit status: 0 done, 1 an error of the handler, or a callback could not be opened, 3 cancel, 4 timeout \
            (504), 5 refused (403), 6 no route (404), 7 daemon not reachable, 64 usage.
            """,
        shouldDisplay: false
    )

    @Argument(
        help: ArgumentHelp("The URL. With '--browser' it can be missing: then the browser starts.", valueName: "url"))
    var givenURL: String?

    @Option(
        help: ArgumentHelp("The desktop entry of the browser for links that no rule opens.", valueName: "entry"))
    var browser: String?

    @Option(
        help: ArgumentHelp(
            "The program that opens callbacks. Default: $XCALLBACK_OPENER, xdg-open, gio, the portal.",
            valueName: "program"),
        completion: .file())
    var opener: String?

    @OptionGroup var location: SocketOption

    func validate() throws {
        if givenURL == nil, browser == nil { throw ValidationError("Missing expected argument '<url>'") }
    }

    func run(asking daemon: Client) async throws {
        do {
            if let browser, try await hasOpenedInBrowser(browser, daemon) { return }
            if DesktopTools.hasComeBack(url) {
                throw Failure(
                    "the desktop sends the URL back to 'xcallback' instead of to another application\n"
                        + "make another application the handler of its scheme: see 'xcallback doctor'")
            }
            let answer = try await ReplyWatch.waitForAnswer(of: location) {
                try await ProgressNotice.whileShown(scheme, of: daemon) { [url] progress in
                    try await daemon.open(url.withEncodedBlanks, from: .desktop, following: true, progress: progress)
                }
            }
            let isReturned = scheme == CallbackRules.answerScheme
            if isReturned, case .error(let error) = answer.response, error.isOfRepeatedAnswer { return }
            if let url = answer.open { try DesktopTools(opener).open(url, as: "the callback") }
            if let notice = answer.notice { UserNotice(title: scheme, text: notice, isFailure: false).show() }
            if answer.open == nil, case .error(let error) = answer.response { report(error, answer) }
            let status = ExitStatus(answer)
            if status != .success { throw ExitCode(status.rawValue) }
        } catch {
            guard let failure = Failure(error) else { throw error }
            report(failure.message, inJournal: failure.message)
            throw ExitCode(failure.status.rawValue)
        }
    }

    private var url: String { givenURL ?? "" }

    /// Handles a link of the web.
    ///
    /// - Returns: Whether it is one.
    private func hasOpenedInBrowser(_ browser: String, _ daemon: Client) async throws -> Bool {
        guard let givenURL else {
            try WebLink.start(browser, opening: nil)
            return true
        }
        guard let link = WebLink(givenURL, openedBy: browser) else { return false }
        let url = givenURL.withEncodedBlanks
        let notice = try await link.open { try await daemon.open(url, from: .desktop, following: true) }
        guard let notice else { return true }
        Terminal.printError("xcallback: \(scheme): \(notice)")
        if !isJournal(STDERR_FILENO) { Self.log("\(scheme): a browser opened a link that no rule has opened") }
        UserNotice(title: "Links", text: notice, isFailure: false).show()
        return true
    }

    /// Reports an error for which the URL has no callback; the daemon's message contains no values, but the cause may.
    private func report(_ error: CallbackError, _ answer: Client.Answer) {
        let text = error.text(cause: answer.cause)
        let isDaemons = answer.author == .daemon
        report(text, inJournal: isDaemons ? error.text(cause: nil) : "the URL has no x-error (\(error.code.rawValue))")
    }

    /// Reports a problem on standard error, in the journal, and as a desktop notification.
    ///
    /// - Parameters:
    ///   - text: The problem.
    ///   - summary: The text for the journal, without values of the request.
    private func report(_ text: String, inJournal summary: String) {
        // An answer of another application has the scheme of the command's own name.
        let subject = scheme == CallbackRules.answerScheme ? "" : "\(scheme): "
        if isJournal(STDERR_FILENO) {
            Terminal.printError("xcallback: \(subject)\(summary)")
        } else {
            Terminal.printError("xcallback: \(subject)\(text)")
            Self.log("\(subject)\(summary)")
        }
        UserNotice(title: scheme, text: text, isFailure: true).show()
    }

    /// Writes a line to the journal.
    private static func log(_ message: String) {
        openlog("xcallback", LOG_PID, LOG_USER)
        message.withVisibleControls.withCString { text in
            withVaList([text]) { vsyslog(LOG_ERR, "%s", $0) }
        }
        closelog()
    }

    /// The scheme, which is never a secret, unlike the rest of the URL.
    private var scheme: String {
        let start = url.utf8.prefix { $0 != UInt8(ascii: ":") }
        let isScheme = start.count < url.utf8.count && start.allSatisfy { isSchemeByte($0, isFirst: false) }
        return isScheme ? String(Substring(start)) : "no scheme"
    }
}
