import Glibc
import XCallbackClient
import XCallbackEventLoop
import XCallbackLinux
import XCallbackURL

/// A link of the web that was clicked outside of a browser: a rule of the daemon opens it, or else the remembered browser.
struct WebLink {
    /// The time in which the daemon must answer.
    private static let patience = Duration.seconds(2)
    /// The number of times that a link may arrive within ``LinkArrivals/window``: then no rule is asked, then it is a circle.
    private static let (ruleLimit, limit) = (2, 6)

    let url: String
    /// The name of the browser's desktop entry.
    let browser: String

    /// Creates a link; nil if it is a URL of another scheme.
    init?(_ url: String, openedBy browser: String) {
        guard Self.isOfWeb(url) else { return nil }
        self.url = url
        self.browser = browser
    }

    /// Whether a browser opens a URL: a page of the web, or of a file.
    private static func isOfWeb(_ url: String) -> Bool {
        let start = url.prefix { $0 != ":" }.lowercased()
        return DesktopEntry.webSchemes.contains(start) || start == "file" || url.hasPrefix("/")
    }

    /// Opens the link.
    ///
    /// - Parameter ask: Sends the link to the daemon.
    /// - Returns: The reason why no rule has opened it, but the remembered browser; nil if a rule has.
    /// - Throws: ``Failure`` if the browser cannot open it either.
    func open(asking ask: @escaping @Sendable () async throws -> Client.Answer) async throws -> String? {
        if url.hasPrefix("/") || url.lowercased().hasPrefix("file:") {
            try openInBrowser(url)
            return nil
        }
        let count = LinkArrivals.count(adding: url)
        guard count <= Self.limit else {
            throw Failure(
                .errorAnswer,
                "the link goes round in a circle: \(Browser.any(preferring: browser)?.title ?? browser) sends it back\n"
                    + "make another browser the default, then run 'xcallback setup links' again")
        }
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
            return error.code == .timedOut ? "the daemon did not answer within 2 s" : error.message
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
            throw Failure(.errorAnswer, "the browser '\(name)' is not installed any more, and there is no other")
        }
        // Its output can contain the link, which must not get into the journal.
        let run = ToolRun(starting: browser.command(opening: url), isQuiet: true, limit: .seconds(5))
        switch run.ending {
        case .exited(0), .running: return browser.title
        case .exited(let status): throw Failure(.errorAnswer, "\(browser.title) ended with status \(status)")
        case .notStarted(let cause): throw Failure(.errorAnswer, "cannot run \(browser.title): \(cause)")
        }
    }
}

/// The links that have arrived lately, shared by the processes that handle them, one per process.
enum LinkArrivals {
    /// The time for which a link is remembered.
    private static let window = Duration.seconds(2)
    /// The maximum size of the file: more links than anyone clicks.
    private static let limit = 4096

    /// Adds a link.
    ///
    /// - Returns: The number of times that it has arrived within ``window``; 1 if the session has no folder for the file.
    static func count(adding url: String) -> Int {
        guard let runtime = variable("XDG_RUNTIME_DIR") else { return 1 }
        mkdir("\(runtime)/xcallbackd", 0o700)
        let file = open("\(runtime)/xcallbackd/links", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return 1 }
        defer { close(file) }
        guard flock(file, LOCK_EX) == 0 else { return 1 }
        let now = monotonicTime() / 1_000_000
        let line = "\(now) \(hash(of: url))"
        let lines = recentLines(of: file, since: now - Int64(window / .milliseconds(1))) + [line]
        let bytes = Array(lines.map { "\($0)\n" }.joined().utf8.suffix(limit))
        if ftruncate(file, 0) == 0 { pwrite(file, bytes, bytes.count, 0) }
        return lines.count { $0.hasSuffix(" \(hash(of: url))") }
    }

    private static func recentLines(of file: Int32, since start: Int64) -> [String] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let size = max(pread(file, &bytes, bytes.count, 0), 0)
        return String(decoding: bytes[..<size], as: UTF8.self).split(separator: "\n").map(String.init).filter { line in
            line.split(separator: " ").first.flatMap { Int64($0) }.map { $0 >= start } ?? false
        }
    }

    /// FNV-1a: a link can be a secret, and is not written to a file.
    private static func hash(of url: String) -> UInt64 {
        url.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
