import ArgumentParser
import XCallbackClient
import XCallbackLinux
import XCallbackWire

/// Takes back what `setup` or `init` has made.
struct RemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an action that 'setup' or 'init' has made.",
        discussion: """
            Removes the files that 'setup' or 'init' has written, the schemes that it has registered, and what else it \
            has changed. Keeps files that you have changed, and names them. Keeps what you have made with the action. \
            An action that you have written yourself is removed with its lines: 'xcallback edit NAME' opens them.

            Example: xcallback remove notes

            Exit status: 0 removed, 1 failed, or not made by 'setup' or 'init'; 7 daemon not reachable, 64 usage.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The example, such as notes, or the URL given to 'init', such as notes:/add.", valueName: "name"),
        completion: .live(.removable))
    var name: String

    func run() throws {
        let installation = try Installation(for: "remove")
        let record = try SetupRecord(in: installation.folders)
        guard let entry = record[name] ?? FirstAction(url: name).flatMap({ record[$0.name] }) else {
            throw failure(record)
        }
        try Interruption.waitFor { try await Self.remove(entry, with: installation) }
    }

    private static func remove(_ entry: SetupRecord.Entry, with installation: Installation) async throws {
        let kept = try await installation.remove(entry)
        if let comment = entry.files.first.map({ ExampleComment($0.text) }), let data = comment.data, comment.hasData {
            try Terminal.print(step: "kept", "\(data): your own data")
        }
        let exception = kept.isEmpty ? "" : ", except for the files that you have changed"
        try Terminal.print("\(entry.name) is removed\(exception).")
        if kept.isEmpty { return }
        let words = kept.map(\.path.shellWord).joined(separator: " ")
        try Terminal.print("To remove them, too: rm \(words) && xcallback reload")
    }

    private func failure(_ record: SetupRecord) -> Failure {
        let names = record.entries.map(\.name)
        let known = names.isEmpty ? "they have made nothing" : "they have made \(names.joined(separator: ", "))"
        return Failure(
            .errorAnswer,
            "\(name.withVisibleControls) was not made by 'xcallback setup' or 'xcallback init': \(known)\n"
                + "to remove an action of your own, delete its lines with 'xcallback edit NAME'")
    }
}
