import ArgumentParser
import XCallback
import XCallbackConfiguration
import XCallbackURL

/// Sends URLs to the daemon and prints its answers.
struct OpenCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Send URLs to the daemon, one after the other, and print its answers.",
        discussion: """
            A success prints its items, one 'name=value' a line, with control characters and line ends as <U+000A>; scripts \
            have values exactly by --json. An error prints 'error CODE: MESSAGE' and a cancel \
            'cancelled' on standard error; where the daemon tells its own user why a handler failed, 'cause: …' follows. An answer to a callback of the URL itself (x-success, x-error, x-cancel), \
            or a redirect, is printed as it is: one URL.

            Example: xcallback open 'notes:/create?title=Milk'

            Exit status: 0 success or redirect, 1 error, 3 cancel; 4 time-out (504), 5 refused (403), 6 no route (404) \
            if the daemon and not a handler says so; 7 daemon not reachable, 64 usage, 74 output not writable; of \
            several URLs the first that is not 0.
            """
    )

    @Argument(help: ArgumentHelp("The URLs; blanks and control characters must be encoded.", valueName: "url"))
    var urls: [String]

    @Flag(help: "Print one JSON object a line: outcome, url, items, by, and for errors code and message.")
    var json = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        for url in urls { try Self.check(url) }
        var status = ExitStatus.success
        do {
            for url in urls {
                let answer = try await daemon.open(url)
                if json { try Terminal.print(answer.json) } else { try answer.print() }
                if case .error(let error) = answer.response, error.code == .unknownAction, answer.author == .daemon {
                    await SystemRoutes(besides: location)?.tell(of: url)
                }
                if status == .success { status = ExitStatus(answer) }
            }
        } catch {
            guard let failure = Failure(error) else { throw error }
            Terminal.printError(failure)
            if status == .success { status = failure.status }
        }
        if status != .success { throw ExitCode(status.rawValue) }
    }

    /// Checks a URL before anything is sent.
    ///
    /// Only what cannot be a URL at all is refused here; the daemon answers every other fault.
    ///
    /// - Throws: ``Failure`` if the text has no scheme, or a blank or control character.
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
