/// The service and the request whose costs are published.
package enum StandardService {
    /// The request: a capture, a parameter, a callback and a source.
    package static let request =
        "notes://x-callback-url/notes/42/append?text=hello%20world&x-success=caller%3A%2F%2Fdone%3Fid%3D7&x-source=Caller"
    /// The answer to it.
    package static let answer = "caller://done?id=7&result=ok"

    /// A configuration of a hundred routes, with commonly used middleware and policies.
    ///
    /// The rate limit is never reached, but counted.
    package static var configuration: String {
        let routes = patterns(count: 100).map {
            "  - { route: 'notes:\($0)', policies: [{ rate: 1000000000/s }], respond: { result: ok } }\n"
        }
        return "schemes: [notes]\nmiddleware: [log]\npolicies: [{ user: self }]\nroutes:\n" + routes.joined()
    }

    /// Returns typical patterns; the first one is that of the request.
    package static func patterns(count: Int) -> [String] {
        var patterns = ["/notes/:id/append"]
        var service = 0
        while patterns.count < count {
            patterns += tails.map { "/service\(service)\($0)" }
            service += 1
        }
        return Array(patterns[..<count])
    }

    private static let tails = [
        "/items", "/items/:id", "/items/:id/append", "/items/:id/remove", "/open", "/open/:document/page/:number",
        "/create", "/search", "/tags/:tag", "/files/:name",
    ]
}
