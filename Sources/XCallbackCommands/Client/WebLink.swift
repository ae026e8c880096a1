import XCallbackClient
import XCallbackEventLoop
import XCallbackLinux
import XCallbackRouter
import XCallbackURL
import XCallbackWire

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
                    + "run 'xcallback unregister http https', choose a browser in the settings of the desktop, then run "
                    + "'xcallback register http https --default'")
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
