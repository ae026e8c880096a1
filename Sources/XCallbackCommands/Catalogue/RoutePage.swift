import XCallbackAdministration
import XCallbackClient
import XCallbackLinux
import XCallbackURL

/// A page about a route for people: its effect, its parameters and items, and an example command.
struct RoutePage: CustomStringConvertible {
    /// The route.
    let route: Client.Route

    var description: String {
        var lines = [route.name]
        if let title = route.title { lines.append("  \(title)") }
        if let text = route.description { lines += [""] + text.linesOfText.map { $0.isEmpty ? "" : "  \($0)" } }
        lines += [""] + TextTable(facts).lines
        lines += section("parameters", route.parameters.map(\.cells), none: route.isStrict ? "none" : "any")
        if let items = route.returns { lines += section("answer", items.map(\.cells), none: "no items") }
        lines += ["example", "  \(example)"]
        return lines.map(\.withVisibleControls).joined(separator: "\n")
    }

    private var facts: [[String]] {
        var facts = [["access", route.isPublic ? "public: also reachable from the desktop and web pages" : "private"]]
        if let name = route.agentName { facts.append(["assistants", "as \(name)"]) }
        for (name, stages) in [("middleware", route.middleware), ("policies", route.policies)] where !stages.isEmpty {
            facts.append([name, stages.joined(separator: ", ")])
        }
        facts.append(["handler", route.handler])
        if let effect = route.effect { facts.append(["effect", effect.text]) }
        if let place = route.place { facts.append(["place", place]) }
        return facts
    }

    private func section(_ title: String, _ rows: [[String]], none: String) -> [String] {
        [title] + (rows.isEmpty ? ["  \(none)"] : TextTable(rows).lines)
    }

    /// An example command with every required parameter.
    var example: String {
        let options = route.parameters.filter(\.isRequired).flatMap { parameter in
            ["--param", "\(parameter.name)=\(parameter.example)".shellWord]
        }
        // A name stands for its route only together with parameters.
        let url = options.isEmpty ? try? route.url(with: QueryItems()) : nil
        return (["xcallback", "open", (url ?? route.name).shellWord] + options).joined(separator: " ")
    }
}

extension Client.Route.Parameter {
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
        if let charset { text += " of \(charset)" }
        if let schemes { text += " \(schemes.joined(separator: "|"))" }
        if let defaultValues {
            let texts = defaultValues.map { $0.isEmpty ? "''" : $0 }
            text += " (default: \(texts.isEmpty ? "empty list" : texts.joined(separator: ", ")))"
        }
        return text
    }

    /// A possible value, as far as the type determines.
    fileprivate var example: String {
        switch elementType ?? type {
        case "int", "number": minimum ?? maximum ?? "1"
        case "bool": "true"
        case "date": "2026-01-31"
        case "url": "\(schemes?.first ?? "https")://example.org/"
        case "uuid": "123e4567-e89b-12d3-a456-426614174000"
        case "data": "SGVsbG8"
        case "json": "{}"
        case "enum": values?.first ?? ""
        default: name.uppercased()
        }
    }
}

extension Client.Route.Effect {
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
