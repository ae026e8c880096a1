import ArgumentParser
import Glibc
import XCallbackClient
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPipeline
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

            With --browser, links of the web are never lost: if the daemon cannot be reached, takes longer than 5 s, or \
            answers with an error, that browser opens the link as it was clicked, and a notification says why.

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
                try await daemon.open(url.withEncodedBlanks, from: .desktop, following: true)
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
        if !Self.errorsGoToTheJournal { Self.log("\(scheme): a browser opened a link that no rule has opened") }
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
        if Self.errorsGoToTheJournal {
            Terminal.printError("xcallback: \(subject)\(summary)")
        } else {
            Terminal.printError("xcallback: \(subject)\(text)")
            Self.log("\(subject)\(summary)")
        }
        UserNotice(title: scheme, text: text, isFailure: true).show()
    }

    /// Whether standard error is the journal stream that the service manager has opened.
    private static var errorsGoToTheJournal: Bool {
        var status = stat()
        guard let stream = variable("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
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

/// A link of the web that was clicked outside of a browser: a rule of the daemon opens it, or else the remembered browser.
struct WebLink {
    /// The time in which the daemon must answer: it watches a detached program for two seconds.
    private static let patience = Duration.seconds(5)
    /// The number of times that a rule is asked for the same link within two seconds.
    private static let ruleLimit = 2
    /// The number of times that the same link is opened within half a minute: more are a circle.
    private static let limit = 9

    let url: String
    /// The name of the browser's desktop entry.
    let browser: String

    /// Creates a link; nil if it is a URL of another scheme.
    init?(_ url: String, openedBy browser: String) {
        guard Self.isOfWeb(url) || Self.isFile(url) else { return nil }
        self.url = url
        self.browser = browser
    }

    /// Whether a URL is of the web.
    private static func isOfWeb(_ url: String) -> Bool {
        DesktopEntry.webSchemes.contains(url.prefix { $0 != ":" }.lowercased())
    }

    /// Whether a URL is a page in a file, which desktops also open with browsers.
    private static func isFile(_ url: String) -> Bool { url.hasPrefix("/") || url.lowercased().hasPrefix("file:") }

    /// Opens the link.
    ///
    /// - Parameter ask: Sends the link to the daemon.
    /// - Returns: The reason why no rule has opened it, but the remembered browser; nil if a rule has.
    /// - Throws: ``Failure`` if the browser cannot open it either.
    func open(asking ask: @escaping @Sendable () async throws -> Client.Answer) async throws -> String? {
        if Self.isFile(url) {
            try openInBrowser(url)
            return nil
        }
        let arrivals = LinkArrivals(adding: url)
        guard arrivals.count(within: .seconds(30)) <= Self.limit else {
            throw Failure(
                "the link goes round in a circle: \(Browser.any(preferring: browser)?.title ?? browser) sends it back\n"
                    + "make another browser the default, then run 'xcallback setup links' again")
        }
        let count = arrivals.count(within: .seconds(2))
        let reason =
            count > Self.ruleLimit ? "the same link has come \(count) times within 2 s" : await refusal(asking: ask)
        guard let reason else { return nil }
        return "\(try openInBrowser(url)) opened the link: \(reason)"
    }

    /// Sends the link to the daemon, and opens what a rule makes of it.
    ///
    /// - Returns: The reason why no rule has opened the link; nil if one has.
    private func refusal(asking ask: @escaping @Sendable () async throws -> Client.Answer) async -> String? {
        do {
            let answer = try await withTimeout(Self.patience, ask)
            if let notice = answer.notice { UserNotice(title: "Links", text: notice, isFailure: false).show() }
            if let target = answer.open {
                if Self.isOfWeb(target) {
                    try openInBrowser(target)
                } else {
                    try DesktopTools().open(target, as: "the link")
                }
            }
            if answer.open == nil, case .error(let error) = answer.response { return error.text(cause: answer.cause) }
            return nil
        } catch let error as CallbackError {
            return error.code == .timedOut ? "the daemon did not answer within 5 s" : error.message
        } catch {
            return Failure(error)?.message ?? "\(error)"
        }
    }

    /// Opens a URL in the remembered browser or, if it is gone, in another one.
    ///
    /// - Returns: Its name for people.
    /// - Throws: ``Failure`` if there is no browser, or it fails.
    @discardableResult
    private func openInBrowser(_ url: String) throws(Failure) -> String { try Self.start(browser, opening: url) }

    /// Starts a browser.
    ///
    /// - Parameters:
    ///   - name: The name of its desktop entry.
    ///   - url: The URL to open; nil for none.
    /// - Returns: Its name for people.
    /// - Throws: ``Failure`` if there is no browser, or it fails.
    @discardableResult
    static func start(_ name: String, opening url: String?) throws(Failure) -> String {
        guard let browser = Browser.any(preferring: name) else {
            throw Failure("the browser '\(name)' is not installed any more, and there is no other")
        }
        // Its output can contain the link, which must not get into the journal.
        let ending = ToolRun(starting: browser.command(opening: url), isQuiet: true, limit: .seconds(5)).ending
        if [.exited(0), .running].contains(ending) { return browser.title }
        throw Failure("\(browser.title) \(ending.text)")
    }
}

/// When a link has arrived lately, from a file that the processes share that handle links, one per process.
private struct LinkArrivals {
    /// The time for which links are remembered, in milliseconds.
    private static let memory: Int64 = 30_000

    /// The times since then, in milliseconds.
    private var ages: [Int64] = [0]

    /// Adds an arrival now.
    ///
    /// Without a folder of the session there is no file, and this arrival is the only one.
    init(adding url: String) {
        guard let file = SharedFile("links") else { return }
        let now = monotonicTime() / 1_000_000
        // A link can be a secret, and is not written to the file.
        let arrivals =
            Self.arrivals(in: file.read()).filter { (0...Self.memory).contains(now - $0.time) } + [
                (now, stableHash(url))
            ]
        file.write(arrivals.map { "\($0.time) \($0.link)\n" }.joined())
        ages = arrivals.filter { $0.link == stableHash(url) }.map { now - $0.time }
    }

    /// The number of arrivals within a time.
    func count(within time: Duration) -> Int { ages.count { $0 <= Int64(time / .milliseconds(1)) } }

    private static func arrivals(in text: String) -> [(time: Int64, link: UInt64)] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let time = Int64(words[0]), let link = UInt64(words[1]) else { return nil }
            return (time, link)
        }
    }
}

/// A message for a user who does not see the command's output: a desktop notification.
///
/// A page can send any number of URLs. The notification of a scheme replaces the one before it, and shows their number,
/// unless some seconds lie between them.
package struct UserNotice {
    /// The time after which a notification stands for itself.
    private static let pause = Duration.seconds(10)
    /// The timeout of the tool.
    private static let patience = Duration.seconds(1)

    /// The scheme of the URL, or another title.
    let title: String
    let text: String
    /// Whether the URL was not handled.
    let isFailure: Bool

    /// Shows the message on its own.
    static func show(_ title: String, _ text: String) {
        guard ToolRun.isInstalled("notify-send") else { return }
        // The desktop decides whether it is shown; the standard error of the tool would only repeat the message.
        _ = ToolRun(asking: command(title, text), limit: patience)
    }

    /// Shows the message, or replaces the last one of the scheme.
    func show() {
        guard ToolRun.isInstalled("notify-send") else { return }
        let name = title.lowercased().filter { $0.isLetter || $0.isNumber || "+-.".contains($0) }
        guard let file = SharedFile("notices/\(name)\(isFailure ? "" : "_done")") else { return Self.show(title, text) }
        var shown = Shown(file.read())
        let isRecent = (0..<Int64(Self.pause / .milliseconds(1))).contains(Self.now - shown.time)
        shown = isRecent ? shown : Shown()
        shown.count += 1
        shown.time = Self.now
        // A tool that cannot replace a notification would fill the screen.
        if shown.count == 1 || shown.id != 0 { shown.id = run(after: shown) }
        file.write("\(shown.time) \(shown.id) \(shown.count)")
    }

    /// Runs the tool; returns the ID of the notification, or 0.
    private func run(after shown: Shown) -> Int {
        let number = isFailure ? ": \(shown.count) URLs were not handled" : " (\(shown.count))"
        let title = shown.count == 1 ? title : title + number
        let run = ToolRun(asking: Self.command(title, text, replacing: shown.id), limit: Self.patience)
        switch run.ending {
        case .exited(0): return Int(run.output.prefix { $0.isNumber }) ?? 0
        // libnotify before 0.7.10 does not know the options.
        case .exited: Self.show(title, text)
        case .running, .notStarted: break
        }
        return 0
    }

    private static var now: Int64 { monotonicTime() / 1_000_000 }

    /// Returns the command that shows a notification.
    ///
    /// Invisible characters are shown as codes: the text can come from a web page.
    ///
    /// - Parameters:
    ///   - title: The subject, in one line.
    ///   - text: The message. Notification servers interpret some HTML elements; here they are shown verbatim.
    ///   - id: The notification that it replaces, or 0; nil if its ID is not needed.
    /// - Returns: The program and its arguments.
    package static func command(_ title: String, _ text: String, replacing id: Int? = nil) -> [String] {
        let options = id.map { ["--print-id"] + ($0 == 0 ? [] : ["--replace-id=\($0)"]) } ?? []
        return ["notify-send", "--app-name=xcallback"] + options + [
            "--", title.withVisibleControls, text.withVisibleLines.html(escapingBackslash: "\\\\"),
        ]
    }
}

/// The last notification of a scheme, shared by the processes that show them, one per process.
private struct Shown {
    /// The time, in milliseconds of the system's uptime.
    var time: Int64 = 0
    /// Its ID in the notification server, or 0.
    var id = 0
    /// The number of messages in it.
    var count = 0

    init() {}

    init(_ text: String) {
        let numbers = text.split(separator: " ").compactMap { Int64($0) }
        if numbers.count == 3 { (time, id, count) = (numbers[0], Int(numbers[1]), Int(numbers[2])) }
    }
}
