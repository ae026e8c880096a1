package import XCallbackURL
import XCallbackWire

extension Pipeline {
    /// Checks a request that another process has taken up to a stage of a route, without trusting that process.
    ///
    /// - Parameters:
    ///   - request: The request with its URL and its parameters; it gets the route.
    ///   - identity: The identity of the route (``Route/identity``).
    ///   - isDecoded: Whether the declared parameters are already decoded.
    /// - Returns: The route; nil if there is none with that identity.
    /// - Throws: ``CallbackError`` if no such request is possible.
    package func admit(
        _ request: inout Request, to identity: String, isDecoded: Bool
    ) throws(CallbackError) -> Route? {
        guard let route = (routes + (fallback.map { [$0] } ?? [])).first(where: { areEqual($0.identity, identity) })
        else {
            return nil
        }
        guard request.url.syntax == syntax(of: request.url.received.utf8.span) else {
            throw CallbackError(.malformed, "The URL has another syntax here.")
        }
        var captures: [Capture] = []
        var found: Route?
        do throws(CallbackError) {
            try match(&request, into: &captures)
            found = request.matchedRoute
        } catch {
            guard error.code == .unknownAction, !request.url.hasPassword else { throw error }
            found = fallback
        }
        guard found === route else { throw CallbackError(.malformed, "The URL is not one of this route.") }
        if let received = request.receivedURL, !leads(from: received, to: request.url) {
            throw CallbackError(
                .unavailable,
                "No redirect leads from the received URL to this route: if it has changed, 'xcallback reload' loads it."
            )
        }
        request.matchedRoute = route
        if route.pattern.syntax == .callback && request.parameters.hasReservedName || request.parameters.holdsNUL {
            throw CallbackError(.malformed, "A parameter cannot be one of a request.")
        }
        // A URL has so many; the route adds captures and defaults.
        let addedCount = captures.count + route.stages.input.declarations.count
        guard request.parameters.count <= maximumParameters + addedCount else {
            throw CallbackError(.tooLarge, "The request has more than \(maximumParameters) parameters.")
        }
        if route !== fallback { try route.checkCaptures(in: request.parameters) }
        if isDecoded { try route.stages.input.check(request.parameters, captures: route.pattern.captures) }
        return route
    }

    /// Whether redirects can lead from a URL that was received to another URL, whose route is known.
    private func leads(from received: ActionURL, to url: ActionURL) -> Bool {
        guard received.syntax == syntax(of: received.received.utf8.span) else { return false }
        if received.received == url.received { return true }
        var open = [route(answering: received)]
        var seen: Set<ObjectIdentifier> = []
        while let route = open.popLast() {
            guard let route, seen.insert(ObjectIdentifier(route)).inserted,
                let redirect = route.stages.handler.facts.redirect, owns(scheme: redirect.scheme.utf8.span)
            else { continue }
            guard let target = redirect.target else {
                // The request decides where it leads.
                if redirect.scheme == url.scheme { return true }
                open += routes.filter { $0.scheme == redirect.scheme }
                continue
            }
            guard var next = try? ActionURL(target.text) else { continue }
            schemes.first { $0.name == redirect.scheme }?.prepare(&next)
            if redirect.scheme == url.scheme, next.canonicalAction == url.canonicalAction { return true }
            open.append(self.route(answering: next))
        }
        return false
    }
}

extension Route {
    /// Checks that the captures that every URL of the route has are present, and have their types.
    fileprivate func checkCaptures(in parameters: QueryItems) throws(CallbackError) {
        for capture in pattern.captures {
            let type = stages.input.declarations.first(named: capture.name)?.rule.type ?? .string
            let values = parameters.filter { areEqual($0.name, capture.name) }
            let isRight = values.allSatisfy { item in
                guard let value = item.value else { return false }
                if value.isEmpty { return capture.isWildcard && pattern.syntax == .url }
                return type.matches(value.utf8.span)
            }
            guard isRight, capture.isOptional || !values.isEmpty, capture.isWildcard || values.count <= 1 else {
                throw CallbackError(.badParameter, "Parameter '\(capture.name)' is not what a URL of the route has.")
            }
        }
    }
}

extension QueryItems {
    fileprivate var holdsNUL: Bool {
        contains { item in item.name.utf8.contains(0) || item.value?.utf8.contains(0) == true }
    }
}
