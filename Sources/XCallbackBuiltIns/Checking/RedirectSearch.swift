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
