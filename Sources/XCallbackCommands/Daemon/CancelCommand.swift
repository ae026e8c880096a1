import ArgumentParser
import XCallbackAdministration
import XCallbackClient

/// Cancels a request in progress.
struct CancelCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel a request in progress.",
        discussion: """
            Ends what works on the request: the program and all that it has started get SIGTERM, and SIGKILL two seconds \
            later. The answer is a cancel. 'xcallback status' lists the requests in progress with their ids. Ctrl-C in \
            'xcallback open' does the same for its own request.

            Example: xcallback cancel 7h3kq2vd-41

            Exit status: 0 success, 1 no such request is in progress, 5 refused, 7 daemon not reachable, 64 usage.
            """
    )

    @Argument(help: ArgumentHelp("The id of the request.", valueName: "id"))
    var id: String

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        try await ReplyWatch.wait("to cancel the request") { try await daemon.cancel(id) }
        Terminal.print(step: "cancelled", id)
    }
}
