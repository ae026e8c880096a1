import ArgumentParser
import Glibc
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackURL
import XCallbackWire

/// Writes a user's first action.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write an action of your own.",
        discussion: """
            Writes a drop-in to your routes.d and a program to a folder of your data, both yours to change, and \
            reloads the daemon. Overwrites no file. If a step fails, everything is undone. 'xcallback edit URL' changes the \
            action, and 'xcallback remove URL' removes it.

            Example: xcallback init notes:/add --title 'Add a note' --param text

            Exit status: 0 done, 1 failed, 7 daemon not reachable, 64 usage, 78 configuration faults.
            """
    )

    @Argument(help: ArgumentHelp("The action's URL, such as notes:/add.", valueName: "url"))
    var url: String

    @Option(help: "A short title for menus. Default: the last part of the URL.")
    var title: String?

    @Option(
        name: .customLong("param"),
        help: ArgumentHelp("A parameter, such as 'text' or 'count:int'. Can be repeated.", valueName: "name:type"))
    var parameters: [String] = []

    @Option(help: "The language of the program: sh or python.")
    var language = FirstAction.Language.sh

    func run() throws {
        let installation = try Installation(for: "init")
        let action = try self.action()
        let program = installation.folders.program(action.name, of: action.name)
        let entry = SetupRecord.Entry(
            name: action.name,
            files: [
                WrittenFile(path: installation.folders.dropIn(action.name), text: action.dropIn(running: program)),
                WrittenFile(path: program, text: action.program),
            ])
        try installation.make(entry, serving: [action.url]) { isServed in
            try Self.finish(action, program, isServed: isServed)
        }
    }

    private static func finish(_ action: FirstAction, _ program: String, isServed: Bool) throws(Failure) {
        let editor = EditCommand.editor ?? "editor"
        let next = [
            [action.example, "runs it"], ["\(editor) \(program.shellWord)", "changes what it does"],
            ["xcallback edit \(action.url)", "changes its description and its parameters"],
            ["xcallback register \(action.scheme)", "lets the desktop open its URLs"],
            ["xcallback remove \(action.url)", "removes it"],
        ]
        let rows = (isServed ? [] : daemonStart.map { [$0, "starts the daemon"] }) + next
        let table = TextTable(rows.map { ["  \($0[0])", "# \($0[1])"] })
        try Terminal.print("\(action.url) is ready. Next:\n\(table.text)")
    }

    private func action() throws(Failure) -> FirstAction {
        var parameters: [FirstAction.Parameter] = []
        for text in self.parameters {
            guard let parameter = FirstAction.Parameter(text) else {
                throw Failure(
                    .usage,
                    "'\(text.withVisibleControls)' is not a parameter: expected a name of letters, digits and '_' with a "
                        + "small letter, and after a colon a type: \(ParameterType.simpleNames.alternatives); nothing was "
                        + "written")
            }
            parameters.append(parameter)
        }
        guard var action = FirstAction(url: url, language: language) else {
            throw Failure(
                .usage,
                "'\(url.withVisibleControls)' is not the URL of an action: expected a scheme in lower case and a path "
                    + "without captures, such as notes:/add; nothing was written")
        }
        if let title { action.title = title }
        action.parameters = parameters
        return action
    }
}

extension FirstAction.Language: ExpressibleByArgument {}

/// A user's first action: a route with a description, and the program that it runs.
package struct FirstAction: Hashable, Sendable {
    package enum Language: String, CaseIterable, Sendable {
        case sh, python
    }

    package struct Parameter: Hashable, Sendable {
        package let name: String
        package let type: String

        /// Parses `name` or `name:type`; nil if the name is not valid for a variable, or the type does not exist.
        package init?(_ text: String) {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            name = parts[0]
            type = parts.count > 1 ? parts[1] : "string"
            // Names in capitals belong to the shell.
            let isWord = name.first?.isLetter == true && name.hasOnlyAlphanumerics(and: "_")
            guard isWord, name != name.uppercased() || name.count == 1, ParameterType(name: type) != nil else {
                return nil
            }
        }
    }

    /// The URL without a query, such as `notes:/add`.
    package let url: String
    package var title: String
    package var parameters: [Parameter] = []
    package let language: Language

    /// Creates an action without parameters, whose title is the last part of its URL; nil unless the URL is a scheme in lower
    /// case with a path of letters, digits, '-' and '_'.
    package init?(url: String, language: Language = .sh) {
        let parts = url.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, parts[1].hasPrefix("/"), parts[1].count > 1,
            parts[1].hasOnlyAlphanumerics(and: "/-_"), parts[0].hasOnlyAlphanumerics(and: "+.-"),
            parts[0] == parts[0].lowercased(), ("a"..."z").contains(parts[0].prefix(1))
        else { return nil }
        self.url = url
        self.language = language
        let last = parts[1].split(separator: "/").last.map(String.init) ?? "action"
        title = "\(last.prefix(1).uppercased())\(last.dropFirst())".replacing(each: "-", with: " ")
    }

    package var scheme: String { String(url.prefix { $0 != ":" }) }

    /// The base name of its files: the URL in letters, digits and hyphens.
    package var name: String {
        let path = url.dropFirst(scheme.count + 1)
        return ([scheme] + path.split(separator: "/").map(String.init)).joined(separator: "-")
    }

    package func dropIn(running program: String) -> String {
        let words = [program.quotedTemplate] + parameters.map { Self.quoted("{\($0.name)}") }
        var lines = [
            "# Made by 'xcallback init', yours to change: 'xcallback edit \(url)'. 'xcallback remove \(url)' removes it.",
            "# xcallbackd.yaml(5) describes what else a route can have.", "schemes: [\(Self.quoted(scheme))]",
            "routes:", "  - route: \(url)", "    title: \(Self.quoted(title))",
        ]
        if !parameters.isEmpty { lines.append("    input:") }
        for parameter in parameters {
            // The program gets every text as a single argument, however it begins.
            lines.append("      \(parameter.name): { type: \(parameter.type), allow-dash: true }")
        }
        lines += ["    returns: { result: string }", "    exec: [\(words.joined(separator: ", "))]"]
        return lines.joined(separator: "\n") + "\n"
    }

    package var program: String {
        let names = parameters.map(\.name)
        let given = names.isEmpty ? "It has no arguments." : "Its arguments: \(names.joined(separator: ", "))."
        let comment = [
            "# The program of \(url). \(given)",
            "# Its output is the answer. To refuse a request, print the reason on standard error,",
            "# and exit with a status other than 0.",
        ]
        var lines: [String]
        switch language {
        case .sh:
            lines = ["#!/bin/sh"] + comment
            for (index, name) in names.enumerated() { lines.append("\(name)=${\(index + 1)}") }
            lines += ["", "printf '%s\\n' \("\(title):".shellWord)"]
            for name in names { lines.append("printf '%s\\n' \"\(name) is $\(name)\"") }
        case .python:
            let list = names.map(Self.quoted).joined(separator: ", ")
            lines = ["#!/usr/bin/python3"] + comment + ["import sys", "", "print(\(Self.quoted("\(title):")))"]
            lines += ["for name, value in zip([\(list)], sys.argv[1:]):", "    print(name, \"is\", value)"]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// An example command, with a value for each parameter.
    package var example: String {
        let options = parameters.map { " --param \($0.name)=\(exampleValue(ofType: $0.type) ?? "Hello")" }
        return "xcallback open \(url)\(options.joined())"
    }

    /// Returns a text in double quotes, valid in YAML and Python.
    private static func quoted(_ text: String) -> String { JSONValue.string(text).description }
}

extension SetupRecord {
    /// The entry of the first action with a URL; nil if there is none.
    ///
    /// Another URL can have files of the same names.
    fileprivate func entry(of url: String) -> Entry? {
        let line = "\n  - route: \(url)\n"
        guard let action = FirstAction(url: url), let entry = self[action.name] else { return nil }
        return entry.files.first?.text.contains(line) == true ? entry : nil
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
        let kept = try await installation.remove(entry)
        if let comment = entry.files.first.map({ ExampleComment($0.text) }), let data = comment.data, comment.hasData {
            try Terminal.print(step: "kept", "\(data): your own data")
        }
        if kept.isEmpty { return try Terminal.print("\(entry.name) is removed.") }
        let words = kept.map(\.path.shellWord).joined(separator: " ")
        try Terminal.print(
            kept.allSatisfy(\.isProgram)
                ? "\(entry.name) is removed, except for the files that you have changed.\nTo remove them, too: rm \(words)"
                : "\(entry.name) still answers, because you have changed its routes: they are your own now.\n"
                    + "To remove them: rm \(words) && xcallback reload")
    }

    private func failure(_ record: SetupRecord) -> Failure {
        let names = record.entries.map(\.name)
        let known = names.isEmpty ? "they have made nothing" : "they have made \(names.joined(separator: ", "))"
        return Failure(
            "\(name.withVisibleControls) was not made by 'xcallback setup' or 'xcallback init': \(known)\n"
                + "to remove an action of your own, delete its lines with 'xcallback edit NAME'")
    }
}

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

            Exit status: 0 reloaded, or nothing was changed; 1 no editor, or it failed; 6 no such route, 7 daemon not \
            reachable, 64 usage, 78 configuration faults.
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
    }

    /// Returns the place of the action: the current one, or with a faulty configuration the one that the daemon has loaded.
    private func place(of daemon: Client) async throws -> (file: String, line: Int) {
        guard name.utf8.contains(UInt8(ascii: ":")) else { return (try dropIn(), 1) }
        // The lines of the files are newer than those that the daemon has loaded.
        let ofFiles =
            location.socket == nil
            ? (try? [Client.Route](reading: RouterConfiguration(loading: nil).routesJSON)) ?? [] : []
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
        let files = name == "config" ? places.candidates : folders.map { "\($0)/\(name).yaml" }
        if let file = files.first(where: { access($0, F_OK) == 0 }) { return file }
        let names = folders.flatMap { visibleEntries(of: $0) }.filter { $0.hasSuffix(".yaml") }
        let suggestion = name.suggestion(among: names.map { String($0.dropLast(".yaml".count)) })
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
