import ArgumentParser
import XCallbackClient
import XCallbackLinux
import XCallbackURL
import XCallbackWire

/// Publishes an event.
struct PublishCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Send items to all subscribers of a topic.",
        discussion: """
            Example: xcallback publish news title='Milk is out' id=7

            Exit status: 0 success, even without subscribers; 5 not allowed, 6 no such topic, 7 daemon not reachable, \
            64 usage.
            """
    )

    @Argument(help: "The topic.", completion: .live(.topic))
    var topic: String

    @Argument(help: ArgumentHelp("The items: 'name=value', or 'name' for an item without a value.", valueName: "item"))
    var items: [String] = []

    @Flag(help: "Print one JSON object: reached.")
    var json = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let purpose = "to publish to '\(topic.withVisibleControls)'"
        let count = try await ReplyWatch.wait(purpose) { try await daemon.publish(QueryItems(words: items), to: topic) }
        let reply: JSONValue = ["reached": .number(JSONNumber(count))]
        try Terminal.print(json ? reply.visibleText : "\(count)")
    }
}

/// Shows published events.
struct SubscribeCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Show what is published to topics.",
        discussion: """
            Prints one line per event: the topic, then the items as 'name=value', quoted for a shell. If the daemon \
            stops, the command waits for the next one. Lost events are reported on standard error.

            Example: xcallback subscribe --json news

            Exit status: 0 output closed, 5 not allowed, 6 no such topic, 7 daemon not reachable, 64 usage.
            """
    )

    @Argument(help: "The topics.", completion: .live(.topic))
    var topics: [String]

    @Flag(help: "Print one JSON object per line: topic, items; or missed, a number or null, for lost events.")
    var json = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let publications = try await ReplyWatch.wait("to send events") { try await daemon.publications(of: topics) }
        for try await publication in publications {
            if json {
                guard try Terminal.offer(publication.json.visibleText) else { return }
                continue
            }
            switch publication {
            case .published(let topic, let items):
                guard try Terminal.offer(Self.line(topic, items)) else { return }
            case .missed(let count?):
                Terminal.printError("xcallback: \(count) events were lost: this reader is too slow")
            case .missed(nil): Terminal.printError("xcallback: the daemon was restarted: events may have been lost")
            }
        }
    }

    private static func line(_ topic: String, _ items: QueryItems) -> String {
        ([topic] + items.map(\.text)).map(\.shellWord).joined(separator: " ").withVisibleControls
    }
}

extension Client.Publication {
    /// The event as JSON.
    fileprivate var json: JSONValue {
        switch self {
        case .published(let topic, let items): ["topic": .string(topic), "items": items.json]
        case .missed(let count): ["missed": count.map { .number(JSONNumber($0)) } ?? .null]
        }
    }
}
