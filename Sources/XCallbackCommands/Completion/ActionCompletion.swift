import XCallbackClient
import XCallbackConfiguration
import XCallbackRouting
import XCallbackURL

/// Completes a URL or the name of a route.
struct ActionCompletion {
    private let text: String

    /// Creates a completion of a text.
    init(_ text: String) {
        self.text = text
    }

    /// The prefixes of the names of possible routes.
    ///
    /// The whole text, then one segment less at a time, because a value may stand for a capture.
    /// So only a few of many routes are requested.
    var beginnings: [String] {
        guard let colon = text.firstIndex(of: ":") else { return [text] }
        var beginnings = [text]
        var rest = text[...]
        while let slash = rest.lastIndex(of: "/"), slash > colon {
            beginnings.append(String(rest[...slash]))
            rest = rest[..<slash]
        }
        return beginnings + [String(text[...colon])]
    }

    /// Returns the candidates: names of routes, or the URLs of routes without captures, and, after written values, the rest of
    /// the path up to the next capture.
    func candidates(_ routes: [Client.Route]) -> [Candidate] {
        routes.flatMap { route -> [Candidate] in
            let note = route.title ?? ""
            if let url = route.plainURL, url.hasPrefix(text) { return [Candidate(text: url, note: note)] }
            if route.name.hasPrefix(text) { return [Candidate(text: route.name, note: note)] }
            return continuation(of: route).map { [Candidate(text: $0, note: note)] } ?? []
        }
    }

    /// The written path, continued up to the next capture of a route; nil if the route does not match it.
    private func continuation(of route: Client.Route) -> String? {
        guard route.syntax == .callback, text.hasPrefix("\(route.scheme):/"),
            let pattern = try? RoutePattern(route.pattern)
        else { return nil }
        let path = text.dropFirst(route.scheme.count + 2)
        guard !path.contains("?") else { return nil }
        let written = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return pattern.continuation(of: written).map { "\(route.scheme):/\($0)" }
    }

    /// Returns the first route that matches the text, as far as literals and captures determine.
    func route(among routes: [Client.Route]) -> Client.Route? {
        let path = text.prefix { $0 != "?" && $0 != "#" }
        return routes.first { route in
            guard route.syntax == .callback, path.hasPrefix("\(route.scheme):/"),
                let pattern = try? RoutePattern(route.pattern)
            else { return false }
            let segments = path.dropFirst(route.scheme.count + 1).split(separator: "/").map(String.init)
            return pattern.answers(segments)
        }
    }
}

extension Client.Route {
    /// The URL of a route without captures, which needs no parameters; nil for a route with captures.
    fileprivate var plainURL: String? {
        guard let pattern = try? RoutePattern(pattern, as: syntax), pattern.captures.isEmpty else { return nil }
        return try? url(with: QueryItems())
    }
}
