import XCallbackConfiguration
import XCallbackLinux
import XCallbackURL
import XCallbackWire

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
            let isWord = name.first?.isLetter == true && name.hasOnlyAlphanumerics(and: "_")
            guard isWord, !Self.reserved.contains(name), name != name.uppercased() || name.count == 1,
                ParameterType(name: type) != nil
            else { return nil }
        }

        /// Names with another meaning in a Python program, or that end a YAML mapping; names in capitals belong to the shell.
        private static let reserved: Set<String> = [
            "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
            "except",
            "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass",
            "print", "raise", "return", "sys", "try", "while", "with", "yield", "None", "True", "False", "null", "true",
            "false", "yes", "no", "on", "off",
        ]
    }

    /// The URL without a query, such as `notes:/add`.
    package let url: String
    package var title = ""
    package var parameters: [Parameter] = []
    package let language: Language

    /// Creates an action without a title and parameters; nil unless the URL is a scheme in lower case with a path of letters,
    /// digits, '-' and '_'.
    package init?(url: String, language: Language) {
        let parts = url.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, parts[1].hasPrefix("/"), parts[1].count > 1,
            parts[1].hasOnlyAlphanumerics(and: "/-_"), parts[0].hasOnlyAlphanumerics(and: "+.-"),
            parts[0] == parts[0].lowercased(), ("a"..."z").contains(parts[0].prefix(1))
        else { return nil }
        self.url = url
        self.language = language
    }

    package var scheme: String { String(url.prefix { $0 != ":" }) }

    /// The base name of its files: the URL in letters, digits and hyphens.
    package var name: String {
        let path = url.dropFirst(scheme.count + 1)
        return ([scheme] + path.split(separator: "/").map(String.init)).joined(separator: "-")
    }

    static let mark = "# Made by 'xcallback init'"

    package func dropIn(running program: String) -> String {
        let words = [program.quotedTemplate] + parameters.map { Self.quoted("{\($0.name)}") }
        var lines = [
            "\(Self.mark), yours to change: 'xcallback edit \(url)'. 'xcallback remove \(url)' removes it.",
            "# xcallbackd.yaml(5) describes what else a route can have.", "schemes: [\(Self.quoted(scheme))]",
            "routes:", "  - route: \(url)", "    title: \(Self.quoted(title))",
        ]
        if !parameters.isEmpty { lines.append("    input:") }
        for parameter in parameters {
            // The program gets every text as a single argument, however it begins.
            lines.append("      \(parameter.name): { type: \(parameter.type), allow-dash: true }")
        }
        lines.append("    returns: { result: string }")
        lines.append("    exec: [\(words.joined(separator: ", "))]")
        return lines.joined(separator: "\n") + "\n"
    }

    /// The source of the program.
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
            lines += ["", "printf '%s\\n' \(Self.shellWord("\(title):"))"]
            for name in names { lines.append("printf '%s\\n' \"\(name) is $\(name)\"") }
        case .python:
            lines = ["#!/usr/bin/python3"] + comment + ["import sys", ""]
            let targets = (["_"] + names).joined(separator: ", ")
            lines.append(names.isEmpty ? "" : "\(targets) = sys.argv")
            lines += ["", "print(\(Self.quoted("\(title):")))"]
            for name in names { lines.append("print(\"\(name) is\", \(name))") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// An example command, with a value for each parameter.
    package var example: String {
        let words = parameters.map { parameter -> String in
            let value = parameter.type == "string" ? "Hello" : Self.examples[parameter.type] ?? "1"
            return " --param \(parameter.name)=\(value)"
        }
        return "xcallback open \(url)\(words.joined())"
    }

    private static let examples = [
        "bool": "true", "date": "2026-01-31", "url": "https://example.org/", "data": "SGVsbG8",
        "uuid": "123e4567-e89b-12d3-a456-426614174000",
    ]

    /// Returns a text in double quotes, valid in YAML and Python.
    private static func quoted(_ text: String) -> String { JSONValue.string(text).description }

    private static func shellWord(_ text: String) -> String { "'\(text.replacing(each: "'", with: "'\\''"))'" }
}
