import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL
import XCallbackWire

extension Route.Stages {
    /// Warns about policies that accept only requests that do not reach the route.
    ///
    /// - Parameters:
    ///   - reach: The origins that reach the route.
    ///   - place: The place of the route.
    ///   - faults: Receives the warning.
    func warnOfOrigins(reachedFrom reach: OriginSet, at place: Place, _ faults: FaultList) {
        // Most routes have no such policy, and the list would be made for each.
        guard
            policies.contains(where: { $0.facts.acceptsOrigins != .all })
                || asyncPolicies.contains(where: { $0.facts.acceptsOrigins != .all })
        else { return }
        let restricting = policyFacts.filter { $0.facts.acceptsOrigins != .all }
        guard let first = restricting.first, restricting.allSatisfy({ $0.facts.acceptsOrigins.isDisjoint(with: reach) })
        else { return }
        faults.warn(
            "no request reaches this route and passes the policy \(first.name.quoted): write 'public: true' for the desktop, "
                + "'agent: true' for assistants, or leave the policy out", at: place)
    }
}

extension PipelineBuilder {
    /// Warns about public routes whose URLs a desktop changes if the first segment stands behind `//`, where a host stands:
    /// about first segments that differ only in case, and about numbers as first segments.
    func warnOfDesktopSpelling() {
        let names = context.schemes.filter { $0.syntax == .callback && !$0.ignoresHosts }.map(\.name)
        let routes = routes.filter { $0.route.isPublic && names.contains($0.route.scheme) }
        var known: [String: String] = [:]
        for built in routes {
            let route = built.route
            for text in Set(route.pattern.firstTexts.map { String(utf8: $0.span) }) {
                let key = "\(route.scheme):\(text.lowercased())"
                guard let other = known.updateValue(text, forKey: key), other != text else { continue }
                faults.warn(
                    "desktops write '\(route.scheme)://\(text)' in lower case, so that it can mean '/\(other)': let the "
                        + "texts differ in more than case, or write '\(route.scheme):/\(text)' in links",
                    at: built.declaration.place)
            }
            guard let name = route.pattern.firstParameter, let example = route.numberExample(of: name) else { continue }
            faults.warn(
                "some desktops write '\(route.scheme)://\(example)' as '\(route.scheme)://0.0.0.\(example)': put text "
                    + "before ':\(name)', or write '\(route.scheme):/\(example)' in links", at: built.declaration.place)
        }
    }
}

extension Route {
    /// A number that a parameter can be; nil if it is not of a type of numbers.
    fileprivate func numberExample(of name: String) -> String? {
        switch stages.input.declarations.first(named: name)?.rule.type {
        case .integer?: "42"
        case .boolean?: "1"
        default: nil
        }
    }
}

extension Route.Stages {
    /// Warns about programs and other actions that a web page can start, because it can open the URLs of a public route.
    ///
    /// - Parameters:
    ///   - place: The place of the route's handler.
    ///   - faults: Receives the warnings.
    func warnOfWebPages(at place: Place, _ faults: FaultList) {
        if middleware.contains(where: \.facts.runsProgram) {
            faults.warn(
                "any web page can run this middleware without asking you, because policies come after it: remove "
                    + "'public: true'", at: place)
        }
        guard handler.facts.acts, !isGuarded(from: .desktop) else { return }
        faults.warn(
            "any web page can run this \(handler.facts.runsProgram ? "program" : "action") without asking you: add the policy "
                + "'confirm', or remove 'public: true'", at: place)
    }

    /// Whether an assistant can act, and no policy checks more than the user.
    var actsUnguarded: Bool { handler.facts.acts && !isGuarded(from: .agent) }

    /// Whether a policy checks more than the user, because others can act in the user's name.
    ///
    /// - Parameter origin: The origin of others' requests.
    /// - Returns: Whether a policy does.
    private func isGuarded(from origin: Origin) -> Bool {
        policyFacts.contains { !$0.facts.passesWebPages && !$0.facts.ignoresOrigins.contains(origin.bit) }
    }
}

extension RouteAddress {
    /// Warns about a segment that is text here, but not for other routers: `{id}`, `<id>`, `$id`, `^a$`.
    func warnOfForeignSyntax(at place: Place, _ faults: FaultList) {
        // Splitting a text into segments is slow, and hardly any text has these bytes.
        guard pattern.text.utf8.contains(where: Self.isForeignEnd) else { return }
        for segment in pattern.text.split(separator: "/") where Self.isForeign(segment) {
            faults.warn("'\(segment)' in a pattern is text; \(RoutePatternError.syntaxHint)", at: place)
            return
        }
    }

    private static func isForeignEnd(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "}"), UInt8(ascii: ">"), UInt8(ascii: "$"), UInt8(ascii: "^"): true
        default: false
        }
    }

    private static func isForeign(_ segment: Substring) -> Bool {
        guard let first = segment.first, let last = segment.last, "{<$#%^".contains(first), !segment.contains("\\")
        else {
            return false
        }
        let name = segment.drop { "{<$#%^ ".contains($0) }
        let isNamed = name.first.map { $0.isLetter || $0 == "_" } ?? false
        return isNamed && ("}>".contains(last) || "$^".contains(first))
    }
}
