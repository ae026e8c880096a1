import ArgumentParser
import XCallbackClient
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

            Example: xcallback handle -- 'notes://x-callback-url/create?title=Milk&x-success=app://done'

            Exit status: 0 done, 1 an error of the handler, or a callback could not be opened, 3 cancel, 4 timeout \
            (504), 5 refused (403), 6 no route (404), 7 daemon not reachable, 64 usage.
            """
    )

    @Argument(help: ArgumentHelp("The URL.", valueName: "url"))
    var url: String

    @Option(
        help: ArgumentHelp(
            "The program that opens callbacks. Default: $XCALLBACK_OPENER, xdg-open, gio, the portal.",
            valueName: "program"),
        completion: .file())
    var opener: String?

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        var opensWindow = false
        defer { if !opensWindow { StartupSequence.end() } }
        do {
            if DesktopTools.hasComeBack(url) {
                throw Failure(
                    .errorAnswer,
                    "the desktop sends the URL back to 'xcallback', instead of another application\n"
                        + "make another application the handler of its scheme: see 'xcallback doctor'")
            }
            let answer = try await ReplyWatch.waitForAnswer(of: location) {
                try await daemon.open(url.withEncodedBlanks, from: .desktop, following: true)
            }
            if let url = answer.open {
                try DesktopTools(opener).open(url, as: "the callback")
                opensWindow = true
            }
            let status = ExitStatus(answer)
            if answer.open == nil, case .error(let error) = answer.response {
                tell(error, answer.cause, by: answer.author)
            }
            if status != .success { throw ExitCode(status.rawValue) }
        } catch {
            guard let failure = Failure(error) else { throw error }
            UserNotice(application: scheme, title: "the URL was not handled", text: failure.message).tell()
            throw ExitCode(failure.status.rawValue)
        }
    }

    /// Reports an error for which the URL has no callback; the daemon's message contains no values, but the cause can.
    private func tell(_ error: CallbackError, _ cause: String?, by author: Client.Answer.Author) {
        let end = cause.map { " \($0.prefix(1).uppercased())\($0.dropFirst())" } ?? ""
        UserNotice(application: scheme, title: "error \(error.code.rawValue)", text: error.message + end).tell(
            journal: author == .daemon ? error.message : "the URL has no x-error")
    }

    /// The scheme, which is never a secret, unlike the rest of the URL.
    private var scheme: String {
        let start = url.utf8.prefix { $0 != UInt8(ascii: ":") }
        let isScheme = start.count < url.utf8.count && start.allSatisfy { isSchemeByte($0, isFirst: false) }
        return isScheme ? String(Substring(start)) : "no scheme"
    }
}
