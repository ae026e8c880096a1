import XCallbackConfiguration
import XCallbackLinux
package import XCallbackRouter
package import XCallbackURL
package import XCallbackWire

extension Explanation {
    /// Returns the explanation as JSON.
    ///
    /// - Parameter viewer: The reader, who sees only an outline; nil if the reader may see the configuration.
    /// - Returns: An object.
    package func json(for viewer: Viewer? = nil) -> JSONValue {
        viewer.map { outline(for: $0).json(showsPlaces: false) } ?? json(showsPlaces: true)
    }

    private func json(showsPlaces: Bool) -> JSONValue {
        var code: JSONValue = .null
        if case .error(let error)? = response { code = .number(JSONNumber(error.code.rawValue)) }
        return [
            "url": .string(url), "origin": .string(origin.rawValue), "code": code, "result": .string(result),
            "hops": .array(hops.map { $0.json(showsPlaces: showsPlaces) }), "hints": .texts(hints),
        ]
    }
}

extension Explanation.Hop {
    fileprivate func json(showsPlaces: Bool) -> JSONValue {
        [
            "url": .string(url), "action": .string(action), "origin": .string(origin.rawValue),
            "candidates": .array(
                candidates.map { candidate in
                    [
                        "route": .string(candidate.route.name),
                        "place": .text(showsPlaces ? candidate.route.place : nil),
                        "verdict": .string(candidate.verdict.rawValue), "reason": .text(candidate.reason),
                    ]
                }),
            "omitted": .number(JSONNumber(omittedCount)), "route": .text(route?.name), "captures": captures.json,
            "stages": .array(stages.map(\.json)),
        ]
    }
}

extension Explanation.Stage {
    fileprivate var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "name": .string(name), "note": .text(plan.text.isEmpty ? nil : plan.text),
            "command": plan.command.map { .texts($0) } ?? .null,
        ]
    }
}

extension Explanation {
    /// What the request would come to: a sentence without a full stop; an error without its code.
    private var result: String {
        switch response {
        case .error(let error): return hops.last.flatMap { $0.reason(for: error, among: schemes) } ?? error.message
        case .success(let items):
            let texts = items.map { item in item.value.map { "\(item.name)=\($0)" } ?? item.name }
            return "answers" + (texts.isEmpty ? "" : " \(texts.joined(separator: ", "))") + condition
        case .redirect(let target): return "redirects to \(target.text)\(condition)"
        case .cancel: return "cancels\(condition)"
        case nil: return handling + condition
        }
    }

    /// What the handler would do.
    private var handling: String {
        guard let hop = hops.last, let handler = hop.stages.last else { return "" }
        if hop.route?.stages.handler.facts.runsProgram == true {
            return "runs " + (handler.plan.command?.map(\.shellWord).joined(separator: " ") ?? "a program")
        }
        return handler.plan.text.isEmpty ? "reaches its handler '\(handler.name)'" : handler.plan.text
    }

    /// The policies on the way whose verdict is not known, as the end of a sentence.
    private var condition: String {
        var names: [String] = []
        for stage in hops.flatMap(\.stages) where stage.kind == .policy && !stage.plan.isPassed {
            if !names.contains(stage.name) { names.append(stage.name) }
        }
        if names.isEmpty { return "" }
        let list = names.map(\.quoted).joined(separator: " and ")
        return names.count == 1 ? ", if policy \(list) allows it" : ", if policies \(list) allow it"
    }
}

extension Explanation.Hop {
    /// Returns the reason why no route answers, or why the route takes no password; nil after any other error.
    fileprivate func reason(for error: CallbackError, among schemes: [String]) -> String? {
        switch error {
        case .unknownScheme: scheme.unknown(among: schemes)
        case .unknownAction: candidates.closestRoute
        case .passwordNotDeclared: route?.passwordHint
        default: nil
        }
    }
}

extension Explanation {
    private static let hintLimit = 16
    /// The maximum number of query names that are examined.
    fileprivate static let nameLimit = 256

    /// The likely meaning of each query name that has no effect, in one sentence for people.
    package var hints: [String] {
        var hints = syntaxHint.map { [$0] } ?? []
        for hint in protocolHints + hops.flatMap({ $0.route?.hints(about: $0.url) ?? [] }) where !hints.contains(hint) {
            if hints.count == Self.hintLimit { break }
            hints.append(hint)
        }
        return hints
    }

    /// Hints about names that are, or resemble, protocol parameters.
    private var protocolHints: [String] {
        if hops.first?.route.map({ $0.pattern.syntax != .callback }) == true { return [] }
        let names = ActionURL.ProtocolItem.allCases.map(\.name)
        return url.queryNames.compactMap { name in
            guard name.utf8.first.map({ $0 | 0x20 == UInt8(ascii: "x") }) == true, !names.contains(name),
                !hops.contains(where: { $0.route?.declares(name) == true })
            else { return nil }
            let suggestion = name.suggestion(among: names)
            let isReserved = name.lowercased().hasPrefix("x-")
            if suggestion.isEmpty, !isReserved { return nil }
            return "\(name.quoted) \(isReserved ? "is ignored" : "is a parameter")\(suggestion)"
        }
    }
}

extension Route {
    /// Parameters of a URL whose names resemble those of missing declared parameters, each in a sentence.
    func hints(about url: String) -> [String] {
        let names = url.queryNames
        let missing = stages.input.declarations.map(\.name).filter { !names.contains($0) && !isCapture($0) }
        return names.compactMap { name in
            if name.lowercased().hasPrefix("x-") || declares(name) { return nil }
            if name.hasPrefix("amp;") {
                let meant = name == "amp;" ? "" : "; did you mean '\(name.dropFirst(4))'?"
                return "\(name.quoted) is from HTML, which writes '&' as '&amp;'\(meant)"
            }
            return name.nearest(among: missing).map {
                "parameter \(name.quoted) is not declared; did you mean '\($0)'?"
            }
        }
    }

    /// What lets the route take URLs with a password.
    fileprivate var passwordHint: String {
        "the route is \(name): to take passwords, write \"\(RequestFact.password.parameterName)\": "
            + "{ required: false } under its 'input'"
    }

    fileprivate func declares(_ name: String) -> Bool {
        isCapture(name) || stages.input.declarations.first(named: name) != nil
    }

    private func isCapture(_ name: String) -> Bool { pattern.captures.first(named: name) != nil }
}

extension String {
    /// The first names in the query of a URL, decoded and without duplicates.
    fileprivate var queryNames: [String] {
        let url = utf8.prefix { $0 != UInt8(ascii: "#") }
        guard let start = url.firstIndex(of: UInt8(ascii: "?")) else { return [] }
        var names: [String] = []
        var known: Set<[UInt8]> = []
        for item in url[url.index(after: start)...].split(separator: UInt8(ascii: "&")) {
            let name = percentDecoded(Array(item.prefix { $0 != UInt8(ascii: "=") }).span).map { String(utf8: $0.span) }
            if let name, !name.isEmpty, known.insert(Array(name.utf8)).inserted { names.append(name) }
            if names.count == Explanation.nameLimit { break }
        }
        return names
    }
}

extension Pipeline {
    /// Returns what was probably meant by a request that the daemon itself has refused, for the daemon's own user.
    ///
    /// It takes a bounded time.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - request: The request.
    /// - Returns: A sentence without a full stop: the closest route, or the refusing one; nil if there is none.
    package func cause(of error: CallbackError, for request: Request) -> String? {
        switch error {
        case .unknownScheme: return request.url.scheme.unknown(among: schemes.map(\.name))
        case .unknownAction:
            return nearRoutes(to: request.url).closestRoute ?? syntaxHint(for: request.url.received, error)
        case .passwordNotDeclared: return request.matchedRoute?.passwordHint
        default: break
        }
        if error.code == .malformed { return syntaxHint(for: request.url.received, error) }
        guard error.code == .badParameter, let route = request.matchedRoute, route !== fallback else { return nil }
        return "the route is \(route.name)" + (route.hints(about: request.url.received).first.map { ": \($0)" } ?? "")
    }
}

extension [Explanation.Candidate] {
    /// The closest route to an action that no route answers, and the reason why it does not; nil if no route is close.
    ///
    /// A sentence without a full stop.
    var closestRoute: String? {
        let farthest = map(\.fittingCount).max() ?? 0
        let near = filter { $0.fittingCount == farthest }
        let misspelled = near.lazy.compactMap(\.mismatch?.texts).first
        let similar = misspelled?.found.nearest(among: near.compactMap(\.mismatch?.texts?.pattern))
        let best =
            near.first { $0.mismatch?.isOnlyOfTypes == true }
            ?? similar.flatMap { text in near.first { $0.mismatch?.texts?.pattern == text } }
            ?? (farthest > 0 ? near.first : nil)
        return best.map { "the closest route is \($0.route.name), but \($0.reason ?? "")" }
    }
}

extension RouteMismatch {
    /// The segment of the action, and the text that it lacks; nil after another mismatch.
    fileprivate var texts: (found: String, pattern: String)? {
        if case .segment(let found, let pattern) = self { (found, pattern) } else { nil }
    }

    /// Whether only the types of captures do not match.
    fileprivate var isOnlyOfTypes: Bool {
        if case .type = self { true } else { false }
    }
}

extension String {
    /// A sentence about a scheme that no action has, without a full stop.
    func unknown(among schemes: [String]) -> String {
        let shown = count > 64 ? "\(prefix(64))…" : self
        return "no action has the scheme '\(shown)'\(suggestion(among: schemes))"
    }
}
