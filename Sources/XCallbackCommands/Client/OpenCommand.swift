import ArgumentParser
import XCallbackAdministration
import XCallbackClient
import XCallbackConfiguration
import XCallbackURL

/// Sends URLs to the daemon and prints its answers.
struct OpenCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Run actions by URL or name, and print the answers.",
        discussion: """
            A success prints its items as 'name=value'. Further lines of a value are indented, and control characters \
            are shown as <U+001B>; scripts get exact values with --value or --json. An error prints \
            'error: MESSAGE (CODE)', and a cancel 'cancelled', on standard error. If the daemon sends its own user the \
            cause, such as the closest route after error 404, 'cause: …' follows. An answer to a callback of the URL itself (x-success, x-error, \
            x-cancel), or a redirect, is printed unchanged: one URL.

            With --param or --stdin, the name of a route, as 'xcallback routes' prints it, can replace the URL: \
            its captures get the parameters of the same names, and the other parameters become its query.

            Example: xcallback open 'notes:/new?title=Milk'
            Example: xcallback open notes:/notes/:id/append --param id=7 --stdin text --value length <draft.txt

            Exit status: 0 success or redirect, 1 error, 3 cancel; 4 timeout (504), 5 refused (403), 6 no route (404) \
            if the daemon and not a handler reports it; 7 daemon not reachable, 64 usage, 74 output not writable. With \
            several URLs, the first status that is not 0.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The URLs, or names of routes. Blanks and control characters in a URL must be encoded.", valueName: "url"),
        completion: .live(.action))
    var urls: [String]

    @OptionGroup var parameters: ParameterOptions
    @OptionGroup var output: AnswerOptions
    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        guard parameters.isEmpty || urls.count == 1 else {
            throw Failure(.usage, "parameters need exactly one URL or route; nothing was sent")
        }
        var targets: [ParameterOptions.Target] = []
        for url in urls {
            targets.append(try await parameters.target(url, of: daemon))
        }
        for target in targets { try Self.check(target.url) }
        var status = ExitStatus.success
        do {
            for target in targets {
                let answer = try await ReplyWatch.waitForAnswer(of: location) {
                    try await daemon.open(target.url, answeredBy: target.route?.id)
                }
                let ending = try output.print(answer)
                if status == .success { status = ending }
            }
        } catch {
            guard let ending = Failure.report(error) else { throw error }
            if status == .success { status = ending }
        }
        if status != .success { throw ExitCode(status.rawValue) }
    }

    /// Checks a URL before anything is sent.
    ///
    /// Only text that cannot be a URL is rejected here; the daemon reports all other faults.
    ///
    /// - Throws: ``Failure`` if the text has no scheme, or contains a blank or control character.
    private static func check(_ url: String) throws(Failure) {
        do {
            _ = try URLLayout(checking: url.utf8.span)
        } catch {
            if error.reason == .missingScheme || error.reason == .rawControl {
                throw Failure(.usage, "the URL \(url.quoted) has \(error); nothing was sent")
            }
        }
    }
}
