import ArgumentParser
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Lists the routes of the daemon or of a configuration.
struct RoutesCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "routes",
        abstract: "List the routes, or describe some of them.",
        discussion: """
            Without names, lists the routes of each scheme in the order of the configuration, with the policies and \
            the handler. With --places, also the middleware, and the place in the configuration, which only the \
            daemon's user and root see. With names, as the list shows them after their scheme, prints what each route \
            does, its parameters, its answer, and a command that uses it. With --config, no daemon is needed.

            Example: xcallback routes notes:/notes/:id/append

            Exit status: 0 success, 6 no such route, 7 daemon not reachable, 64 usage, 78 configuration faults, which \
            are printed on standard error, and with --json also as an object with 'faults'.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The routes to describe. A scheme with its colon selects all of its routes.", valueName: "route"),
        completion: .live(.route))
    var names: [String] = []

    @Option(
        help:
            "Show only routes that requests of this origin reach: socket, desktop (as from a web page) or agent (an assistant)."
    )
    var origin: RequestOrigin?

    @Flag(help: "Show the middleware and the place of each route in the configuration.")
    var places = false

    @OptionGroup var source: ConfigurationOption

    @Flag(
        help:
            "Print one JSON array of the routes with their descriptions: route, title, input, returns, …")
    var json = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let all: [Client.CatalogueRoute]
        // Those that no policy always refuses; nil without a daemon.
        var reached: Set<String>?
        if let config = source.config {
            all = try RouterConfiguration(checking: config, isForProgram: json).routes
        } else {
            all = try await ReplyWatch.wait("to list its routes") { try await daemon.routes() }
            if let origin {
                reached = Set(try await daemon.routes(beginningWith: nil, reachedFrom: origin.origin).compactMap(\.id))
            }
            await warnOfChange(of: daemon)
        }
        for name in names where !all.contains(where: { Self.isMeant($0, by: name) }) {
            throw Failure(noRoute: name, among: all)
        }
        let shown = all.filter { route in
            (names.isEmpty || names.contains { Self.isMeant(route, by: $0) })
                && (reached?.contains(route.id ?? "") ?? origin?.reaches(route) ?? true)
        }
        let routeNames = names.filter { !$0.hasSuffix(":") }
        if let origin, let name = routeNames.first(where: { name in !shown.contains { $0.name == name } }) {
            throw Failure(
                .unknownAction,
                "requests of the origin '\(origin.rawValue)' cannot reach \(name.withVisibleControls)")
        }
        if json { return try Terminal.print(JSONValue.array(shown.map(\.json))) }
        if !routeNames.isEmpty {
            try Terminal.print(shown.map(\.page).joined(separator: "\n\n"))
        } else {
            try Terminal.print(shown.table(for: origin, places: places))
        }
    }

    private static func isMeant(_ route: Client.CatalogueRoute, by name: String) -> Bool {
        name == route.name || name == "\(route.scheme):"
    }

}

extension [Client.CatalogueRoute] {
    /// Returns a tree for people: each scheme with its routes below, in columns with titles.
    ///
    /// - Parameters:
    ///   - origin: The origin that reaches the routes.
    ///   - places: Whether to show the middleware and the places.
    /// - Returns: The lines.
    func table(for origin: RequestOrigin? = nil, places: Bool = false) -> String {
        var schemes: [String] = []
        for route in self where !schemes.contains(route.scheme) { schemes.append(route.scheme) }
        let hasTitles = contains { $0.title != nil }
        // Names for assistants are shown in place of whether the desktop reaches the routes.
        let isOfAssistants = origin == .agent
        var rows = [
            ["ROUTE"] + (hasTitles ? ["TITLE"] : []) + [isOfAssistants ? "TOOL" : "ACCESS", "POLICIES", "HANDLER"]
                + (places ? ["MIDDLEWARE", "PLACE"] : [])
        ]
        for scheme in schemes {
            rows.append([scheme])
            rows += filter { $0.scheme == scheme }.map { route in
                let access = isOfAssistants ? route.agentName ?? "-" : route.isPublic ? "public" : "private"
                return ["  \(route.pattern)"] + (hasTitles ? [route.title ?? "-"] : [])
                    + [access, Client.CatalogueRoute.list(route.policies), route.handler]
                    + (places ? [Client.CatalogueRoute.list(route.middleware), route.place ?? "-"] : [])
            }
        }
        return TextTable(rows).text
    }
}

extension Client.CatalogueRoute {
    fileprivate static func list(_ names: [String]) -> String {
        names.isEmpty ? "-" : names.joined(separator: ", ")
    }

    /// A page for people: the effect of the route, its parameters and items, and an example command.
    fileprivate var page: String {
        var lines = [name]
        if let title { lines.append("  \(title)") }
        if let text = description { lines += [""] + text.linesOfText.map { $0.isEmpty ? "" : "  \($0)" } }
        lines += [""] + TextTable(facts).lines
        lines += section("parameters", parameters.map(\.cells), none: isStrict ? "none" : "any")
        if let items = returns { lines += section("answer", items.map(\.cells), none: "no items") }
        lines += ["example", "  \(example)"]
        return lines.map(\.withVisibleControls).joined(separator: "\n")
    }

    private var facts: [[String]] {
        var facts = [["access", isPublic ? "public: also reachable from the desktop and web pages" : "private"]]
        if let agentName { facts.append(["assistants", "as \(agentName)"]) }
        for (name, stages) in [("middleware", middleware), ("policies", policies)] where !stages.isEmpty {
            facts.append([name, stages.joined(separator: ", ")])
        }
        facts.append(["handler", handler])
        if let effect { facts.append(["effect", effect.text]) }
        if let place { facts.append(["place", place]) }
        return facts
    }

    private func section(_ title: String, _ rows: [[String]], none: String) -> [String] {
        [title] + (rows.isEmpty ? ["  \(none)"] : TextTable(rows).lines)
    }

    /// An example command with every required parameter.
    private var example: String {
        let options = parameters.filter(\.isRequired).flatMap { parameter in
            ["--param", "\(parameter.name)=\(parameter.example)".shellWord]
        }
        // A name stands for its route only together with parameters.
        let url = options.isEmpty ? try? self.url(with: QueryItems()) : nil
        return (["xcallback", "open", (url ?? name).shellWord] + options).joined(separator: " ")
    }
}

extension Client.CatalogueRoute.Parameter {
    /// The row of the parameter in a table.
    fileprivate var cells: [String] {
        let need = place == nil ? (isRequired ? "always" : "sometimes") : isRequired ? "required" : "optional"
        let text = description.map { [$0.linesOfText.joined(separator: " ")] } ?? []
        return ["  \(name)", type == nil ? "-" : typeText, need] + text
    }

    /// The type of its values, with their bounds.
    var typeText: String {
        let element = elementType ?? type ?? ""
        var text = values.map { "\(element) \($0.joined(separator: "|"))" } ?? element
        if type == "list" { text = "list of \(text)" }
        switch (minimum, maximum) {
        case (let minimum?, let maximum?): text += " \(minimum)…\(maximum)"
        case (let minimum?, nil): text += " from \(minimum)"
        case (nil, let maximum?): text += " to \(maximum)"
        case (nil, nil): break
        }
        let unit = element == "data" ? "bytes" : "characters"
        switch (minimumLength, maximumLength) {
        case (let least?, let most?): text += ", \(least)…\(most) \(unit)"
        case (let least?, nil): text += ", at least \(least) \(unit)"
        case (nil, let most?): text += ", at most \(most) \(unit)"
        case (nil, nil): break
        }
        // One with the last of all characters excludes what nobody types, and has no glyph.
        if let charset, !charset.unicodeScalars.contains("\u{10FFFF}") { text += " of \(charset)" }
        if let schemes { text += " \(schemes.joined(separator: "|"))" }
        if let defaultValues {
            let texts = defaultValues.map { $0.isEmpty ? "''" : $0 }
            text += " (default: \(texts.isEmpty ? "empty list" : texts.joined(separator: ", ")))"
        }
        return text
    }

    /// A possible value, as far as the type determines.
    fileprivate var example: String {
        minimum ?? maximum ?? values?.first ?? schemes.map { "\($0[0])://example.org/" }
            ?? exampleValue(ofType: elementType ?? type ?? "") ?? name.uppercased()
    }
}

/// Returns a possible value of a parameter; nil for text.
func exampleValue(ofType type: String) -> String? { ParameterType(name: type)?.traits.example }

extension Client.CatalogueRoute.Effect {
    /// The effect, in a few words.
    fileprivate var text: String {
        let words = [
            kind.rawValue, isIdempotent ? "idempotent" : nil, isOpenWorld ? nil : "on this machine only",
        ]
        return words.compactMap(\.self).joined(separator: ", ")
    }
}

extension String {
    /// The lines of the text.
    fileprivate var linesOfText: [String] {
        split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
