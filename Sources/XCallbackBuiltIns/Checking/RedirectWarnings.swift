import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL

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
