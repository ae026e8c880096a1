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

    @OptionGroup var location: SocketOption

    func run() throws { try Self.remove(name, with: "remove", at: location) }

    /// Removes an entry of the record.
    ///
    /// - Parameters:
    ///   - name: The name of the entry, or the URL of its action.
    ///   - command: The command that runs.
    ///   - location: The options that select the daemon.
    /// - Throws: ``Failure`` if there is no such entry, or a change could not be undone.
    static func remove(_ name: String, with command: String, at location: SocketOption) throws {
        let installation = try Installation(for: command, socket: location.socket)
        let record = try SetupRecord(in: installation.folders)
        let entry = record[name] ?? record.entries.first { $0.isOfFirstAction(name) }
        guard let entry else { throw failure(name, record) }
        let interruption = try Interruption()
        try waitFor { try await interruption.run { try await installation.remove(entry.name) } }
    }

    private static func failure(_ name: String, _ record: SetupRecord) -> Failure {
        let text = name.withVisibleControls
        if let owner = record.entries.first(where: { $0.hasRoute(name) }) {
            return Failure(
                .errorAnswer, "\(text) is part of \(owner.name): 'xcallback remove \(owner.name)' removes all of it")
        }
        let names = record.entries.map(\.name)
        let known = names.isEmpty ? "they have made nothing" : "they have made \(names.joined(separator: ", "))"
        return Failure(
            .errorAnswer,
            "\(text) was not made by 'xcallback setup' or 'xcallback init': \(known)\n"
                + "to remove an action of your own, delete its lines with 'xcallback edit NAME'")
    }
}

extension SetupRecord.Entry {
    /// Whether it is the action that `init` has made for a URL.
    fileprivate func isOfFirstAction(_ url: String) -> Bool { hasRoute(url) && files.first?.text.isOfInit == true }

    fileprivate func hasRoute(_ name: String) -> Bool {
        files.first?.text.contains(text: "route: \(name)\n") ?? false
    }
}

extension String {
    /// Whether it is the text of a drop-in that `init` has written.
    fileprivate var isOfInit: Bool { hasPrefix(FirstAction.mark) }
}
