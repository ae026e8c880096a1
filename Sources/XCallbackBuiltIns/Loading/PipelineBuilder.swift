import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Builds a pipeline from decoded parts, and reports faults that appear only then.
struct PipelineBuilder {
    let context: LoadContext
    let routes: [RouteBuilder.Built]
    let fallback: Route?

    var faults: FaultList { context.faults }

    /// Builds the pipeline of the routes that have a place in the table, despite faults elsewhere.
    ///
    /// - Parameter knowsAllRoutes: Whether these are all routes, so that a redirect cannot lead to another one.
    /// - Returns: The pipeline, or nil after a conflict.
    func build(knowsAllRoutes: Bool) -> Pipeline? {
        warnOfDesktopSpelling()
        do throws(RouteConflicts) {
            let pipeline = try pipeline(of: routes)
            if knowsAllRoutes { checkRedirects(in: pipeline) }
            return pipeline
        } catch {
            report(error)
            // One route of each conflict is enough to resolve redirects.
            let losers = Set(error.conflicts.map { ObjectIdentifier($0.second) })
            let others = routes.filter { !losers.contains(ObjectIdentifier($0.route)) }
            if knowsAllRoutes, let pipeline = try? pipeline(of: others) { checkRedirects(in: pipeline) }
            return nil
        }
    }

    private func pipeline(of routes: [RouteBuilder.Built]) throws(RouteConflicts) -> Pipeline {
        try Pipeline(
            schemes: context.schemes, routes: routes.map(\.route), callbackRules: context.callbackRules,
            maximumParameters: context.limits.parameters, maximumRedirects: context.limits.redirects, fallback: fallback
        )
    }

    private func report(_ conflicts: RouteConflicts) {
        let places = Dictionary(uniqueKeysWithValues: routes.map { (ObjectIdentifier($0.route), $0.declaration.place) })
        for conflict in conflicts.conflicts {
            guard let first = places[ObjectIdentifier(conflict.first)],
                let second = places[ObjectIdentifier(conflict.second)]
            else { continue }
            let fault =
                conflict.example.map { "two routes answer the same URL with equal rank, for example \($0)" }
                ?? "two routes can answer the same URL with equal rank; add text to one of them, or a type to a capture"
            faults.report(fault, at: second, other: Fault.Other(at: first))
        }
    }

    /// Reports redirects to actions of the router that no route answers, and warns about those that open a route to
    /// assistants that is not offered to them, if the action does not depend on the request.
    private func checkRedirects(in pipeline: Pipeline) {
        let ownSchemes = context.schemes.filter { $0.syntax == .callback && $0.outage == nil }.map(\.name)
        for built in routes {
            var url = ActionURL()
            // The handler reports text that is not a URL.
            guard let redirect = built.route.chain.stages.handler.facts.redirect, ownSchemes.contains(redirect.scheme),
                let target = redirect.target, (try? url.parse(target.bytes.span)) != nil
            else { continue }
            if let route = pipeline.route(answering: url) {
                let agent = Origin.agent.bit
                guard built.route.reach.contains(agent), !route.reach.contains(agent) else { continue }
                faults.warn(
                    "this route opens \(route.name.quoted) to assistants, which is not offered to them",
                    at: built.handlerPlace)
            } else {
                // The host is insignificant.
                let text = target.text.replacing(each: "://x-callback-url/", with: ":/")
                faults.report("no route answers \(text.quoted)", at: built.handlerPlace)
            }
        }
    }
}
