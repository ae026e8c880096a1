import ArgumentParser
import Glibc
import XCallbackAdministration
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackPipeline
import XCallbackURL

/// Calls another application and prints its answer.
struct CallCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Open a URL of any application, and wait for it.",
        discussion: """
            The application gets callbacks that lead to the daemon, which sends its answer to this command. \
            Afterwards, the URL's own x-success, x-error or x-cancel is opened. The daemon answers a URL of its own \
            schemes itself; if that leads to an application, it is called. With --param or --stdin, the name of a \
            route can replace the URL. The answer is printed as by 'xcallback open'.

            The desktop must send 'xcallback:' URLs to the daemon: run 'xcallback register xcallback' once.

            Example: xcallback call 'bear://x-callback-url/create?title=Milk' --stdin text <list.txt

            Exit status: 0 success, 1 an error of the application, or it could not be opened, 3 cancel, 4 timeout, 5 \
            refused (403), 6 no route (404), 7 daemon not reachable, 64 usage, 74 output not writable.
            """
    )

    @Argument(help: ArgumentHelp("The URL, or the name of a route.", valueName: "url"), completion: .live(.action))
    var url: String

    @Option(help: ArgumentHelp("The time to wait, such as 30s or 5m. Default: 120s.", valueName: "time"))
    var timeout: TimeOption?

    @Flag(help: "Read '+' in the application's answer as a space, like a route with 'form: true'.")
    var form = false

    @OptionGroup var parameters: ParameterOptions
    @OptionGroup var output: AnswerOptions

    @Option(
        help: ArgumentHelp(
            "The program that opens the URL. Default: $XCALLBACK_OPENER, xdg-open, gio, the portal.",
            valueName: "program"),
        completion: .file())
    var opener: String?

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let target = try await parameters.target(url, of: daemon)
        _ = try Self.callback(target.url)
        let opener = DesktopTools(opener)
        let answer = try await ReplyWatch.waitForAnswer(of: location) {
            try await self.answer(to: target, from: daemon) { url in
                try opener.checkReturn()
                try opener.open(url, as: "the URL")
            }
        }
        let status = try output.print(answer)
        if let url = answer.open { try opener.open(url, as: "the callback") }
        if status != .success { throw ExitCode(status.rawValue) }
    }

    /// Calls the application, or the one to which a route of the daemon leads.
    private func answer(
        to target: ParameterOptions.Target, from daemon: Client,
        opening open: @concurrent (String) async throws -> Void
    ) async throws -> Client.Answer {
        let (limit, readsForm) = (timeout?.limit, form || target.route?.readsForms == true)
        let first =
            target.route == nil
            ? try await daemon.call(target.url, within: limit, readingForm: readsForm, opening: open)
            : try await daemon.open(target.url, answeredBy: target.route?.id)
        guard case .redirect(let callback) = first.response else { return first }
        if callback.isOfWeb { return first }
        return try await daemon.call(callback.text, within: limit, readingForm: readsForm, opening: open)
    }

    private static func callback(_ url: String) throws -> Callback {
        do {
            return try Callback(url)
        } catch {
            throw ValidationError("The URL has \(error); nothing was opened.")
        }
    }
}

extension Callback {
    /// Whether the callback is a web page, which never answers.
    var isOfWeb: Bool { ["http:", "https:"].contains { text.lowercased().hasPrefix($0) } }
}
