import XCallbackClient
import XCallbackConfiguration
import XCallbackRouting
import XCallbackURL

/// How a URL, or the name of a route, goes on that somebody has begun to write.
struct ActionCompletion {
    private let text: String

    /// Begins with what is written.
    init(_ text: String) {
        self.text = text
    }

    /// What the names of the routes may begin with that come into question.
    ///
    /// It is all that is written, then less by a segment at a time, as a value may stand there for a capture. So few routes are asked for where there are many.
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

    /// What can stand there: names of routes, or their URLs where they have no captures, and, behind values that are written out, how the path goes on up to the next
    /// capture.
    func candidates(_ routes: [Client.Route]) -> [Candidate] {
        routes.flatMap { route -> [Candidate] in
            let note = route.title ?? ""
            if let url = route.plainURL, url.hasPrefix(text) { return [Candidate(text: url, note: note)] }
            if route.name.hasPrefix(text) { return [Candidate(text: route.name, note: note)] }
            return continuation(of: route).map { [Candidate(text: $0, note: note)] } ?? []
        }
    }

    /// The written path, gone on with what a route has up to its next capture; nil if the route does not match so far.
    private func continuation(of route: Client.Route) -> String? {
        guard text.hasPrefix("\(route.scheme):/"), let pattern = try? RoutePattern(route.pattern) else { return nil }
        let path = text.dropFirst(route.scheme.count + 2)
        guard !path.contains("?") else { return nil }
        let written = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return pattern.continuation(of: written).map { "\(route.scheme):/\($0)" }
    }

    /// The first route that answers what is written, as far as texts and captures go.
    func route(among routes: [Client.Route]) -> Client.Route? {
        let path = text.prefix { $0 != "?" && $0 != "#" }
        return routes.first { route in
            guard path.hasPrefix("\(route.scheme):/"), let pattern = try? RoutePattern(route.pattern) else {
                return false
            }
            let segments = path.dropFirst(route.scheme.count + 1).split(separator: "/").map(String.init)
            return pattern.answers(segments)
        }
    }
}

extension Client.Route {
    /// The URL of a route without captures, which needs no parameter to stand for it; nil for one with captures.
    fileprivate var plainURL: String? {
        guard let pattern = try? RoutePattern(pattern), pattern.captures.isEmpty else { return nil }
        return try? url(with: QueryItems())
    }
}
