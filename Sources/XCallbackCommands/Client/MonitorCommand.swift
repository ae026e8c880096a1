import ArgumentParser
import XCallback
import XCallbackJSON

/// Shows requests and answers as they come.
struct MonitorCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Show requests and answers as they come, until Ctrl-C.",
        discussion: """
            One line an event: when, what a request ended in ('waits' if its handler is at it), how long that took, who \
            has ended it, the way on which it came in, the user and the process that sent it, its route, its URL, and \
            the answer. Values are hidden. Users other than the daemon's and root see their own requests. When the daemon \
            goes away, the next one is waited for.

            Example: xcallback monitor --json

            Exit status: 0 nobody reads, 7 daemon not reachable, 64 usage.
            """
    )

    @Flag(help: "Show the values in the URLs of your own requests.")
    var values = false

    @Flag(help: "Print one JSON object a line, as the daemon sends them.")
    var json = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let events = try await daemon.events(showingValues: values)
        let line = EventLine(isColoured: Terminal.showsColour)
        if !json { try Terminal.print(EventLine.title) }
        for try await event in events {
            guard try Terminal.offer(json ? event.json.description : line.text(of: event)) else { return }
        }
    }
}
