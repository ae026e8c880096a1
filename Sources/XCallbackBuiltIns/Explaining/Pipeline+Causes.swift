import XCallbackConfiguration
package import XCallbackPipeline
import XCallbackRouting
package import XCallbackURL

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
        case .unknownAction: return nearRoutes(to: request.url).closest(to: request.url.matchedSegments)
        default: break
        }
        guard error.code == .badParameter, let route = request.matchedRoute, route !== fallback else { return nil }
        return "the route is \(route.name)" + (route.hints(about: request.url.received).first.map { ": \($0)" } ?? "")
    }
}

extension [Explanation.Candidate] {
    /// Returns the route that comes closest to an action that no route answers, and the reason why it does not.
    ///
    /// - Parameter segments: The segments of the action.
    /// - Returns: A sentence without a full stop; nil if no route is close.
    func closest(to segments: [String]) -> String? {
        let farthest = map(\.fittingCount).max() ?? 0
        let near = filter { $0.fittingCount == farthest }
        let word = segments.indices.contains(farthest) ? segments[farthest] : ""
        let similar = word.nearest(among: near.compactMap(\.mismatch?.missingText))
        let best =
            near.first { $0.mismatch?.isOnlyOfTypes == true }
            ?? similar.flatMap { text in near.first { $0.mismatch?.missingText == text } }
            ?? (farthest > 0 ? near.first : nil)
        return best.map { "the closest route is \($0.route.name), but \($0.reason ?? "")" }
    }
}

extension RouteMismatch {
    /// The text that a segment of the action lacks; nil after another mismatch.
    fileprivate var missingText: String? {
        if case .segment(_, let pattern) = self { pattern } else { nil }
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
