import ArgumentParser
import XCallback

/// Sends URLs to the daemon and prints its answers.
struct OpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Send URLs to the daemon, one after the other, and print its answers.",
        discussion: """
            A success prints its items, one 'name=value' a line; values are printed raw, control characters and line \
            ends too, so scripts that must be sure use --json. An error prints 'error CODE: MESSAGE' and a cancel \
            'cancelled' on standard error. An answer to a callback of the URL itself (x-success, x-error, x-cancel), \
            or a redirect, is printed as it is: one URL.

            Example: xcallback open 'notes:/create?title=Milk'

            Exit status: 0 success or redirect, 1 error, 3 cancel, 4 time-out (504), 5 refused (403), 6 no route (404), \
            7 daemon not reachable, 64 usage, 74 output not writable; of several URLs the first that is not 0.
            """
    )

    @Argument(help: ArgumentHelp("The URLs; blanks and control characters must be encoded.", valueName: "url"))
    var urls: [String]

    @Flag(help: "Print one JSON object a line: outcome, url, items, and for errors code and message.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The daemon's socket. Without it: $XCALLBACK_SOCKET, the user's, the system's.", valueName: "path"))
    var socket: String?

    func validate() throws {
        if socket == "" { throw ValidationError("'--socket' needs a path.") }
    }

    private func path() throws(Failure) -> String {
        do throws(ClientError) { return try SocketLocation(option: socket).path() } catch { throw Failure(error) }
    }

    func run() throws {
        var requests: [OpenRequest] = []
        for url in urls { requests.append(try OpenRequest(url)) }
        var connection = try DaemonConnection(path: try path())
        var status = ExitStatus.success
        do throws(Failure) {
            for request in requests {
                let answer = try Answer(try connection.ask(request.bytes), to: request)
                if json { try Output.print(answer.json) } else { try answer.print() }
                if status == .success { status = ExitStatus(answer.outcome) }
            }
        } catch {
            Output.printError(error)
            if status == .success { status = error.status }
        }
        if status != .success { throw ExitCode(status.rawValue) }
    }
}
