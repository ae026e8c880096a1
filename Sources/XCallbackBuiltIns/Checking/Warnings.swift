import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL
import XCallbackWire

extension Route.Stages {
    /// Warns about stages that no request can satisfy together.
    ///
    /// - Parameters:
    ///   - captures: The captures of the route.
    ///   - reach: The origins that reach the route.
    ///   - place: The place of the route.
    ///   - faults: Receives the warnings.
    func warnOfContradictions(
        with captures: [CaptureName], reachedFrom reach: OriginSet, at place: Place, _ faults: FaultList
    ) {
        warnOfOrigins(reach, at: place, faults)
        // A program can change the parameters.
        if middleware.isEmpty || middleware.contains(where: \.facts.runsProgram) { return }
        warnOfRemovedParameters(captures, at: place, faults)
    }

    private func warnOfOrigins(_ reach: OriginSet, at place: Place, _ faults: FaultList) {
        let restricting = policyFacts.filter { $0.facts.acceptsOrigins != .all }
        guard let first = restricting.first else { return }
        let accepted = restricting.reduce(OriginSet.all) { $0.intersection($1.facts.acceptsOrigins) }
        if accepted.isEmpty {
            let names = restricting.map(\.name.quoted).joined(separator: " and ")
            faults.warn("no origin passes all of \(names): leave one out", at: place)
        } else if accepted.isDisjoint(with: reach) {
            let (origin, key) =
                accepted.contains(Origin.desktop.bit) ? ("the desktop", "public") : ("assistants", "agent")
            faults.warn(
                "no request reaches this route: the policy \(first.name.quoted) accepts only requests from \(origin): "
                    + "write '\(key): true', or leave the policy out", at: place)
        } else if reach.contains(Origin.desktop.bit), !accepted.contains(Origin.desktop.bit) {
            faults.warn(
                "'public: true' has no effect because the policy \(first.name.quoted) rejects requests from the desktop: "
                    + "leave one of them out", at: place)
        }
    }

    private func warnOfRemovedParameters(_ captures: [CaptureName], at place: Place, _ faults: FaultList) {
        let declared = input.requiredNames.filter { captures.first(named: $0) == nil }
        let others = policyFacts.flatMap(\.facts.needsParameters).filter { !declared.contains($0) }
        for name in declared + others {
            var advice: String?
            for stage in middleware {
                if let text = stage.facts.adviceOnKeeping?(name) { advice = "\(stage.name.quoted): \(text)" }
                if stage.facts.addsParameters.contains(name) { advice = nil }
            }
            if let advice { faults.warn("\(name.quoted) is required, but removed by \(advice)", at: place) }
        }
    }
}

extension RouteDecoder {
    /// Warns about public routes whose URLs a desktop changes if the first segment stands behind `//`, where a host stands:
    /// about first segments that differ only in case, and about numbers as first segments.
    func warnOfDesktopSpelling(_ schemes: [SchemeSettings], _ faults: FaultList) {
        let names = schemes.filter { $0.syntax == .callback && !$0.ignoresHosts }.map(\.name)
        let routes = routes.filter { $0.route.isPublic && names.contains($0.route.scheme) }
        var known: [String: String] = [:]
        for decoded in routes {
            let route = decoded.route
            for text in Set(route.pattern.firstTexts.map { String(utf8: $0.span) }) {
                let key = "\(route.scheme):\(text.lowercased())"
                guard let other = known.updateValue(text, forKey: key), other != text else { continue }
                faults.warn(
                    "desktops write '\(route.scheme)://\(text)' in lower case, so that it can mean '/\(other)': let the "
                        + "texts differ in more than case, or write '\(route.scheme):/\(text)' in links",
                    at: decoded.place)
            }
            guard let name = route.pattern.firstParameter, let example = route.numberExample(of: name) else { continue }
            faults.warn(
                "some desktops write '\(route.scheme)://\(example)' as '\(route.scheme)://0.0.0.\(example)': put text "
                    + "before ':\(name)', or write '\(route.scheme):/\(example)' in links", at: decoded.place)
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
    /// Warns about programs that a web page can start, because it can open the URLs of a public route.
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
        guard handler.facts.runsProgram, !isGuarded(from: .desktop) else { return }
        faults.warn(
            "any web page can run this program without asking you: add the policy 'confirm', or remove "
                + "'public: true'", at: place)
    }

    /// Whether an assistant can start a program or reach a receiver, and no policy checks more than the user.
    var runsUnguardedPrograms: Bool {
        let acts = if case .delivering = handler.stage { true } else { handler.facts.runsProgram }
        return acts && !isGuarded(from: .agent)
    }

    /// Whether a policy checks more than the user, because others can act in the user's name.
    ///
    /// - Parameter origin: The origin of others' requests.
    /// - Returns: Whether a policy does.
    private func isGuarded(from origin: Origin) -> Bool {
        policyFacts.contains { !$0.facts.checksOnlyUser && !$0.facts.ignoresOrigins.contains(origin.bit) }
    }

    /// Whether the middleware can add a parameter.
    func mayAdd(_ name: String) -> Bool {
        middleware.contains { $0.facts.runsProgram || $0.facts.addsParameters.contains(name) }
    }
}

extension Input {
    /// The parameters, except captures, that every request must have.
    var requiredNames: [String] {
        declarations.filter { $0.rule.isRequired && $0.rule.defaultTexts == nil }.map(\.name)
    }
}

extension RouteAddress {
    /// Warns about a segment that is text here, but not for other routers: `{id}`, `<id>`, `$id`, `^a$`.
    func warnOfForeignSyntax(at place: Place, _ faults: FaultList) {
        // Splitting a text into segments is slow, and hardly any text has these bytes.
        guard pattern.text.hasByte(where: { "}>$^".utf8.contains($0) }) else { return }
        for segment in pattern.text.split(separator: "/") where Self.isForeign(segment) {
            faults.warn("'\(segment)' in a pattern is text; \(RoutePatternError.syntaxHint)", at: place)
            return
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

extension Input {
    /// Warns about declarations that are likely meant for a capture, and about captures that cannot be absent.
    ///
    /// - Parameters:
    ///   - node: The declarations.
    ///   - pattern: The pattern of the route.
    ///   - faults: Receives the warnings.
    func warnOfCaptures(_ node: Node?, of pattern: RoutePattern, _ faults: FaultList) {
        guard let node, case .mapping(let members) = node.content, !pattern.captures.isEmpty else { return }
        for member in members {
            guard let rule = declarations.first(named: member.key)?.rule else { continue }
            if let capture = pattern.captures.first(named: member.key) {
                guard !rule.isRequired, !capture.isOptional else { continue }
                let mark = capture.isWildcard ? "*" : ":"
                faults.warn(
                    "every URL of this route has '\(capture.name)', so that 'required: false' has no effect: leave it out, "
                        + "or write '{/\(mark)\(capture.name)}' in the pattern", at: member.value.place)
            } else if rule.isRequired, rule.defaultTexts == nil {
                warnOfName(member, pattern, faults)
            }
        }
    }

    /// Warns about a name that nearly matches the name of an undeclared capture.
    private func warnOfName(_ member: Node.Member, _ pattern: RoutePattern, _ faults: FaultList) {
        let plain = member.key.plainName
        let others = pattern.captures.filter { declarations.first(named: $0.name) == nil }
        if let capture = others.first(where: { $0.name.plainName == plain }) {
            faults.warn(
                "\(member.key.quoted) is required, and not the capture '\(capture.name)' of the pattern: write "
                    + "'\(capture.name)' here", at: member.place)
        } else if member.key.contains("-"),
            pattern.text.split(whereSeparator: { "/{}".contains($0) }).contains(where: {
                $0.hasSuffix(":\(member.key)")
            })
        {
            faults.warn(
                "\(member.key.quoted) is required, and ':\(member.key)' in the pattern is another capture with a text behind "
                    + "it: write ':\"\(member.key)\"' there", at: member.place)
        }
    }
}

extension String {
    /// The name without features that are easily confused: case, hyphens, and underscores.
    fileprivate var plainName: String { lowercased().filter { $0 != "-" && $0 != "_" } }
}

/// Finds redirects within the router that never end, or that the next route rejects.
struct RedirectSearch {
    private struct Redirect {
        let decoded: RouteDecoder.Decoded
        let itemNames: [[UInt8]]
        let target: Route
    }

    private var redirects: [ObjectIdentifier: Redirect] = [:]
    private var order: [ObjectIdentifier] = []

    /// Adds a redirect and the route that answers its target.
    mutating func add(_ decoded: RouteDecoder.Decoded, _ redirect: StageFacts.Redirect, to target: Route) {
        let key = ObjectIdentifier(decoded.route)
        order.append(key)
        redirects[key] = Redirect(decoded: decoded, itemNames: redirect.itemNames, target: target)
    }

    /// Warns about every such redirect.
    func warn(_ faults: FaultList) {
        for key in order {
            guard let redirect = redirects[key] else { continue }
            if isEndless(from: key) {
                let isOwn = redirect.target === redirect.decoded.route
                faults.warn(
                    isOwn
                        ? "this redirect leads to its own route, and never ends: name another route, or another handler"
                        : "this redirect leads back to its own route by way of \(redirect.target.name.quoted), and never ends: "
                            + "give one of them another handler", at: redirect.decoded.handlerPlace)
            } else {
                warnOfMissingItems(redirect, faults)
            }
        }
    }

    /// Whether a redirect leads back to its own route; a program before a handler can end the loop.
    private func isEndless(from start: ObjectIdentifier) -> Bool {
        var key = start
        for _ in order {
            guard let redirect = redirects[key],
                !redirect.decoded.route.stages.middleware.contains(where: \.facts.runsProgram)
            else { return false }
            key = ObjectIdentifier(redirect.target)
            if key == start { return true }
        }
        return false
    }

    private func warnOfMissingItems(_ redirect: Redirect, _ faults: FaultList) {
        let stages = redirect.target.stages
        for name in stages.input.requiredNames {
            let bytes = Array(name.utf8)
            guard redirect.target.pattern.captures.first(named: name) == nil, !stages.mayAdd(name),
                !redirect.itemNames.contains(where: { listPlace(of: $0.span, in: bytes) != nil })
            else { continue }
            let mark = redirect.itemNames.isEmpty ? "?" : "&"
            faults.warn(
                "\(redirect.target.name.quoted) requires \(name.quoted), which this redirect does not pass on: add "
                    + "'\(mark)\(name)={\(name)}'", at: redirect.decoded.handlerPlace)
        }
    }
}

/// The routes that a redirect within the router makes available to requests from the desktop and of assistants.
struct RedirectReach {
    private let decoded: RouteDecoder.Decoded
    private let redirect: StageFacts.Redirect
    private let pipeline: Pipeline

    init(_ decoded: RouteDecoder.Decoded, _ redirect: StageFacts.Redirect, in pipeline: Pipeline) {
        self.decoded = decoded
        self.redirect = redirect
        self.pipeline = pipeline
    }

    /// Warns if the redirect opens a route that is not offered to assistants, or if it leads nowhere because free text
    /// decides and keeps its origin.
    func warn(_ faults: FaultList) {
        // Such a redirect never ends.
        if redirect.fillsPattern(of: decoded.route) { return }
        if let targets = redirect.targets {
            if decoded.route.reach.contains(Origin.agent.bit) { warnOfOpenedRoutes(targets, faults) }
        } else {
            warnOfNoReach(
                .desktop, "requests from the desktop reach only public routes", "make the targets public", faults)
            warnOfNoReach(.agent, "assistants reach only routes with 'agent'", "add 'agent' to the targets", faults)
        }
    }

    private func warnOfOpenedRoutes(_ targets: [Callback], _ faults: FaultList) {
        var names: [String] = []
        for target in targets {
            var url = ActionURL()
            // The handler reports text that is not a URL.
            guard (try? url.parse(target.bytes.span)) != nil, let route = pipeline.route(answering: url),
                !route.reach.contains(Origin.agent.bit), !names.contains(route.name)
            else { continue }
            names.append(route.name)
            faults.warn(
                "this route opens \(route.name.quoted) to assistants, which is not offered to them",
                at: decoded.handlerPlace)
        }
    }

    private func warnOfNoReach(_ origin: Origin, _ rule: String, _ advice: String, _ faults: FaultList) {
        guard decoded.route.reach.contains(origin.bit) else { return }
        let scheme = redirect.scheme
        let isReached = pipeline.routes.contains { route in
            route.reach.contains(origin.bit) && route !== decoded.route && route.scheme == scheme
        }
        if isReached { return }
        faults.warn(
            "free text decides where this redirect leads, so \(rule), and none of \(scheme.quoted) can answer: declare "
                + "the parameter as enum, int, uuid or bool, or \(advice)",
            at: decoded.handlerPlace)
    }
}

extension StageFacts.Redirect {
    /// Whether every request of a route goes to a URL of the same route, because the URL fills the whole pattern.
    func fillsPattern(of route: Route) -> Bool { scheme == route.scheme && pattern == route.pattern.text }
}
