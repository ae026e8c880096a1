import ArgumentParser
import Glibc
import XCallbackConfiguration
import XCallbackLinux
package import XCallbackURL
import XCallbackWire

/// Writes a user's first action.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write an action of your own.",
        discussion: """
            Writes a folder with a route and its program to your routes.d, both yours to change, and starts or reloads the daemon. \
            You can copy the folder, and others can set it up. Overwrites no file. If a step fails, everything is undone. 'xcallback edit URL' changes the \
            action, and 'xcallback remove URL' removes it.

            Example: xcallback init notes:/add --title 'Add a note' --param text

            For links that other programs define, the program gets the whole link: 'xcallback init mpv: --syntax text', \
            'xcallback init 'https://github.com/acme{/*path}''.

            Exit status: 0 done, 1 failed, 7 daemon not reachable, 64 usage, 78 configuration faults.
            """
    )

    @Argument(help: ArgumentHelp("The action's URL, such as notes:/add, or the pattern of links.", valueName: "url"))
    var url: String

    @Option(help: "A short title for menus. Default: the last part of the URL.")
    var title: String?

    @Option(
        name: .customLong("param"),
        help: ArgumentHelp("A parameter, such as 'text' or 'count:int'. Can be repeated.", valueName: "name:type"))
    var parameters: [String] = []

    @Option(help: "The language of the program: sh or python.")
    var language = FirstAction.Language.sh

    @Option(
        help: "How the scheme's URLs are read: callback, url or text. Default: url for http and https, else callback.",
        transform: { text in
            guard let syntax = URLSyntax(rawValue: text) else {
                throw ValidationError("expected \(URLSyntax.allCases.map(\.rawValue).alternatives)")
            }
            return syntax
        })
    var syntax: URLSyntax?

    func run() throws {
        let installation = try Installation(for: "init")
        let action = try self.action()
        let program = "\(installation.folders.dropIns)/\(action.name)/\(action.name)"
        let files = [
            WrittenFile(path: "\(program).yaml", bytes: Array(action.dropIn(for: Self.schema).utf8)),
            WrittenFile(path: program, bytes: Array(action.program.utf8), isProgram: true),
        ]
        let entry = SetupRecord.Entry(name: action.name, files: files)
        try installation.make(entry, serving: [action.url]) { isServed in
            try Self.finish(action, program, isServed: isServed)
        }
    }

    /// The path of the schema for editors; nil below the home, whose path a folder that is given away must not name.
    private static var schema: String? {
        let home = variable("HOME").flatMap { realPath($0) } ?? ""
        guard let prefix = ownPath?.parent.parent, !prefix.hasPrefix("\(home)/") else { return nil }
        let path = "\(prefix)/share/xcallbackd/xcallbackd.schema.json"
        return access(path, R_OK) == 0 ? path : nil
    }

    private static func finish(_ action: FirstAction, _ program: String, isServed: Bool) throws(Failure) {
        let editor = EditCommand.editor ?? "editor"
        let next = [
            [action.example, "runs it"], ["\(editor) \(program.shellWord)", "changes what it does"],
            ["xcallback edit \(action.reference)", "changes its description and its parameters"],
            ["xcallback register \(action.scheme)", "lets the desktop open its URLs"],
            ["xcallback remove \(action.reference)", "removes it"],
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
        guard var action = FirstAction(url: url, language: language, syntax: syntax) else {
            let hint =
                syntax == nil
                ? "a path without captures, such as notes:/add" : "nothing else, or a pattern without blanks"
            throw Failure(
                .usage,
                "'\(url.withVisibleControls)' is not the URL of an action: expected a scheme in lower case and \(hint); "
                    + "nothing was written")
        }
        if action.isForeign, let parameter = parameters.first {
            throw Failure(
                .usage,
                "'--param \(parameter.name)' is for callback URLs: the program of \(action.scheme): gets the whole link; "
                    + "nothing was written")
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

    /// The URL without a query, such as `notes:/add`, or a pattern of the links of others.
    package let url: String
    private let syntax: URLSyntax
    package var title: String
    package var parameters: [Parameter] = []
    package let language: Language

    /// Creates an action without parameters, whose title is the last part of its URL; nil unless the URL has one of the forms.
    ///
    /// - Parameters:
    ///   - url: A scheme in lower case with a path of letters, digits, '-' and '_'; for another syntax, a pattern, or the scheme
    ///     with its colon for all its links.
    ///   - language: The language of the program.
    ///   - syntax: How URLs of the scheme are read; nil for what is usual.
    package init?(url: String, language: Language = .sh, syntax: URLSyntax? = nil) {
        let parts = url.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts[0].hasOnlyAlphanumerics(and: "+.-"), parts[0] == parts[0].lowercased(),
            ("a"..."z").contains(parts[0].prefix(1))
        else { return nil }
        self.syntax = syntax ?? (["http", "https"].contains(parts[0]) ? .url : .callback)
        self.language = language
        if self.syntax == .callback {
            guard parts[1].hasPrefix("/"), parts[1].count > 1, parts[1].hasOnlyAlphanumerics(and: "/-_") else {
                return nil
            }
            self.url = url
        } else {
            guard parts[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
            self.url = !parts[1].isEmpty ? url : self.syntax == .url ? "\(url)//*link" : "\(url)*link"
        }
        let last =
            self.syntax != .callback
            ? "\(parts[0]) links" : parts[1].split(separator: "/").last.map(String.init) ?? "action"
        title = "\(last.prefix(1).uppercased())\(last.dropFirst())".replacing(each: "-", with: " ")
    }

    /// Whether others define the links: the program gets each as a whole.
    package var isForeign: Bool { syntax != .callback }

    /// What 'edit' and 'remove' find it by, as a word of a shell.
    package var reference: String { isForeign ? name : url }

    package var scheme: String { String(url.prefix { $0 != ":" }) }

    /// The base name of its files: the URL in letters, digits and hyphens.
    package var name: String {
        let path = url.dropFirst(scheme.count + 1)
        return ([scheme] + path.split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "_" }.map(String.init))
            .joined(separator: "-")
    }

    /// The first line of its route in its file.
    var routeLine: String { "  - route: \(isForeign ? Self.quoted(url) : url)" }

    /// Returns the text of its file, which names the schema for editors.
    func dropIn(for schema: String?) -> String {
        let words = ["./\(name)"] + (isForeign ? ["@url"] : parameters.map(\.name)).map { Self.quoted("{\($0)}") }
        let settings =
            isForeign ? "{ \(Self.quoted(scheme)): { syntax: \(syntax.rawValue) } }" : "[\(Self.quoted(scheme))]"
        var lines = [
            "# Made by 'xcallback init', yours to change: 'xcallback edit \(reference)'. "
                + "'xcallback remove \(reference)' removes it.",
            "# xcallbackd.yaml(5) describes what else a route can have.",
        ]
        if let schema { lines.append("# yaml-language-server: $schema=\(schema)") }
        lines += [
            "schemes: \(settings)", "routes:", routeLine,
            "    title: \(Self.quoted(title))",
        ]
        if !isForeign { lines.append("    menu: true") }
        if !parameters.isEmpty { lines.append("    input:") }
        for parameter in parameters {
            // The program gets every text as a single argument, however it begins.
            lines.append("      \(parameter.name): { type: \(parameter.type), allow-dash: true }")
        }
        lines += ["    returns: { result: string }", "    exec: [\(words.joined(separator: ", "))]"]
        return lines.joined(separator: "\n") + "\n"
    }

    package var program: String {
        let names = isForeign ? ["link"] : parameters.map(\.name)
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
        if isForeign {
            // The part that stands in each link.
            let start = "\(scheme):\(url.dropFirst(scheme.count + 1).prefix { !"{*:".contains($0) })"
            return "xcallback open \(start)\(start.hasSuffix("/") || start.hasSuffix(":") ? "example" : "")"
        }
        let options = parameters.map { " --param \($0.name)=\(exampleValue(ofType: $0.type) ?? "Hello")" }
        return "xcallback open \(url)\(options.joined())"
    }

    /// Returns a text in double quotes, valid in YAML and Python.
    private static func quoted(_ text: String) -> String { JSONValue.string(text).description }
}
