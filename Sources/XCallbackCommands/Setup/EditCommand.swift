import ArgumentParser
import Glibc
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux

/// Opens the file of an action in the user's editor, checks the result, and makes the daemon load it.
struct EditCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change an action in your editor, and reload.",
        discussion: """
            Opens the file that has the action, at its line, in $VISUAL or $EDITOR. When the editor ends, checks the \
            configuration and reloads the daemon. After a fault, the daemon keeps its previous configuration. The name \
            of a drop-in, such as notes for routes.d/notes.yaml, opens that file, and config the settings for all routes.

            Example: xcallback edit notes:/new

            Exit status: 0 reloaded, or nothing was changed; 1 no editor, or it failed; 5 the daemon does not say the \
            file, 6 no such route, 7 daemon not reachable, 64 usage, 78 configuration faults.
            """
    )

    @Argument(
        help: ArgumentHelp("The route, as 'xcallback routes' prints it, or a drop-in.", valueName: "name"),
        completion: .live(.route))
    var name: String

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let place = try await place(of: daemon)
        let file = UserFile(path: place.file)
        let before = try file.read()
        try edit(place)
        if try file.read() == before { return try Terminal.print("\(place.file.withVisibleControls) is unchanged.") }
        let checked = await CheckedConfiguration(servedAt: location)
        if let error = checked.findings.error {
            Terminal.printError(error.textWithWarnings)
            throw Failure(
                .configuration,
                "the daemon keeps its previous configuration: run 'xcallback edit \(name.shellWord)' again")
        }
        let reply = try await ReplyWatch.wait("to read its configuration") { try await daemon.call("Reload") }
        try Client.RouteChange(reading: reply).print()
        if let change = await location.updateMenuEntries(of: daemon) { try Terminal.print(change) }
    }

    /// Returns the place of the action: the current one, or with a faulty configuration the one that the daemon has loaded.
    private func place(of daemon: Client) async throws -> (file: String, line: Int) {
        guard name.utf8.contains(UInt8(ascii: ":")) else { return (try dropIn(), 1) }
        // The lines of the files are newer than those that the daemon has loaded.
        let ofFiles =
            location.socket == nil ? (try? RouterConfiguration(loading: nil).routes) ?? [] : []
        let routes = ofFiles.contains { $0.name == name } ? ofFiles : try await daemon.routes()
        guard let route = routes.first(where: { $0.name == name }) else {
            throw Failure(noRoute: name, among: routes)
        }
        let parts = route.place?.split(separator: ":") ?? []
        guard parts.count > 1, let line = parts.last.flatMap({ Int($0) }) else {
            throw Failure(.refused, "only the daemon's user and root see which file has \(name.withVisibleControls)")
        }
        let file = parts.dropLast().joined(separator: ":")
        let isTrusted = ofFiles.contains { $0.name == name } ? true : try await daemon.isOwn()
        // An editor would run a name such as '+!PROGRAM'.
        guard isTrusted, file.hasPrefix("/") else {
            throw Failure(
                .refused,
                "the daemon says that \(name.withVisibleControls) is in '\(file.withVisibleControls)', which is used only "
                    + "if the daemon is yours or root's, and the path is absolute\nif it is right, open it yourself")
        }
        return (file, line)
    }

    /// Returns the path of the drop-in with the name, or of the settings for all routes.
    private func dropIn() throws(Failure) -> String {
        let places = ConfigurationPlaces(of: nil)
        let folders = places.directories.map { "\($0)/\(ConfigurationPlaces.dropInDirectory)" }
        let files =
            name == "config"
            ? places.candidates : folders.flatMap { ["\($0)/\(name).yaml", "\($0)/\(name)/\(name).yaml"] }
        if let file = files.first(where: { access($0, F_OK) == 0 }) { return file }
        let names = folders.flatMap { visibleEntries(of: $0) }
        let suggestion = name.suggestion(among: names.map(\.withoutSuffix))
        throw Failure(
            .unknownAction,
            "'\(name.withVisibleControls)' is neither a route nor a drop-in\(suggestion)\n"
                + "see 'xcallback routes'")
    }

    /// The user's editor, or an installed one; nil if there is none.
    static var editor: String? {
        variable("VISUAL") ?? variable("EDITOR") ?? ["nano", "vi"].first { ToolRun.isInstalled($0) }
    }

    /// Runs the editor until it ends.
    private func edit(_ place: (file: String, line: Int)) throws(Failure) {
        guard let editor = Self.editor else {
            throw Failure("no editor is installed\nset VISUAL or EDITOR to yours")
        }
        let program = editor.prefix { $0 != " " }.split(separator: "/").last.map(String.init) ?? ""
        let known = "vi vim nvim nano emacs emacsclient micro kak joe mg ne mcedit".split(separator: " ")
        let words = (known.contains(Substring(program)) ? ["+\(place.line)"] : []) + [place.file]
        // The editor and its programs get the usual signals.
        signal(SIGPIPE, SIG_DFL)
        signal(SIGXFSZ, SIG_DFL)
        defer {
            signal(SIGPIPE, SIG_IGN)
            signal(SIGXFSZ, SIG_IGN)
        }
        let status = system("\(editor) \(words.map(\.shellWord).joined(separator: " "))")
        guard status == 0 else {
            throw Failure(
                "the editor '\(editor.withVisibleControls)' failed; nothing was reloaded\nset VISUAL or EDITOR to yours"
            )
        }
    }
}
