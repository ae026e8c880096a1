import ArgumentParser
import XCallbackClient
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
        var list = QueryItems()
        for item in items {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            list.append(String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
        }
        let purpose = "to publish to '\(topic.withVisibleControls)'"
        let count = try await ReplyWatch.wait(purpose) { try await daemon.publish(list, to: topic) }
        let reply: JSONValue = ["reached": .number(JSONNumber(count))]
        try Terminal.print(json ? reply.visibleText : "\(count)")
    }
}
