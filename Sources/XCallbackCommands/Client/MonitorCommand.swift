import ArgumentParser
import XCallbackAdministration
import XCallbackClient
import XCallbackConfiguration
import XCallbackWire

/// Shows requests and answers as they arrive.
struct MonitorCommand: DaemonCommand {
    /// The outcome of a request.
    enum Outcome: String, ExpressibleByArgument, CaseIterable {
        case success, error, cancel, redirect
    }

    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Show requests and answers as they happen.",
        discussion: """
            Prints one line per event: time, outcome ('waits' while the handler works), duration, origin, user and \
            process of the sender, the id that 'xcallback log' takes, route, URL, and answer. Values are hidden. The \
            daemon's user and root see all requests; other users see their own. If the daemon stops, the command waits \
            for the next one. With several of --route, --peer and --outcome, an event must match all of them.

            Example: xcallback monitor --route notes:/add --outcome error

            Exit status: 0 output closed, 6 no such route, 7 daemon not reachable, 64 usage.
            """
    )

    @Flag(help: "Show the values in the URLs of your own requests.")
    var values = false

    @Flag(help: "Print one JSON object per line, as the daemon sends them.")
    var json = false

    @Option(help: "Show only requests of this route, by its scheme and pattern.", completion: .live(.route))
    var route: String?

    @Option(help: ArgumentHelp("Show only requests of this user or process.", valueName: "user/pid"))
    var peer: PeerOption?

    @Option(help: "Show only answers with this outcome: success, error, cancel or redirect.")
    var outcome: Outcome?

    @OptionGroup var location: SocketOption

    func validate() throws {
        _ = try peer?.userID
    }

    func run(asking daemon: Client) async throws {
        let events = try await events(of: daemon)
        let line = EventLine(isColoured: Terminal.showsColour)
        if !json { try Terminal.print(EventLine.title) }
        for try await event in events {
            guard try Terminal.offer(json ? event.json.visibleText : line.text(of: event)) else { return }
        }
    }

    private func events(of daemon: Client) async throws -> Client.Events<Client.Event> {
        do {
            return try await ReplyWatch.wait("to show its requests") {
                try await daemon.events(showingValues: values, where: conditions)
            }
        } catch let error as ClientError where error.reason == .unknownRoute {
            let names = try await daemon.routes().map(\.name)
            guard let nearest = route?.nearest(among: names) else { throw error }
            throw Failure(ExitStatus(error.reason), "\(error)\ndid you mean '\(nearest)'?")
        }
    }

    /// The options, as parameters of the call to the daemon.
    private var conditions: [JSONValue.Member] {
        get throws {
            let (userID, processID) = (try peer?.userID, peer?.processID)
            let members: [(String, JSONValue?)] = [
                ("route", route.map { .string($0) }), ("user", userID.map { .number(JSONNumber(Int($0))) }),
                ("process", processID.map { .number(JSONNumber(Int($0))) }),
                ("outcome", outcome.map { .string($0.rawValue) }),
            ]
            return members.compactMap { name, value in value.map { .init(name, $0) } }
        }
    }
}
