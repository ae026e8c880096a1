import ArgumentParser
import XCallbackLinux
import XCallbackURL

extension SetupRecord {
    /// The entry of the first action with a URL; nil if there is none.
    ///
    /// Another URL can have files of the same names.
    fileprivate func entry(of url: String) -> Entry? {
        for syntax in [nil, .url, .text] as [URLSyntax?] {
            guard let action = FirstAction(url: url, syntax: syntax), let entry = self[action.name] else { continue }
            if entry.dropIn?.contains("\n\(action.routeLine)\n") == true { return entry }
        }
        return nil
    }
}

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
        guard let entry = record[name] ?? record.entry(of: name) else { throw failure(record) }
        try Interruption.waitFor { try await Self.remove(entry, with: installation) }
    }

    private static func remove(_ entry: SetupRecord.Entry, with installation: Installation) async throws {
        let comment = entry.dropIn.map { ExampleComment($0) }
        let kept = try await installation.remove(entry)
        if let comment, let data = comment.data, comment.hasData {
            Terminal.print(step: "kept", "\(data): your own data")
        }
        if kept.isEmpty { return try Terminal.print("\(entry.name) is removed.") }
        let words = kept.map(\.path.shellWord).joined(separator: " ")
        try Terminal.print(
            kept.first != entry.files.first
                ? "\(entry.name) is removed, except for the files that you have changed.\nTo remove them, too: rm \(words)"
                : "\(entry.name) still answers, because you have changed its routes: they are your own now.\n"
                    + "To remove them: rm \(words) && xcallback remove \(entry.name)")
    }

    private func failure(_ record: SetupRecord) -> Failure {
        let names = record.entries.map(\.name)
        let known = names.isEmpty ? "they have made nothing" : "they have made \(names.joined(separator: ", "))"
        return Failure(
            "\(name.withVisibleControls) was not made by 'xcallback setup' or 'xcallback init': \(known)\n"
                + "to remove an action of your own, delete its lines with 'xcallback edit NAME'")
    }
}
