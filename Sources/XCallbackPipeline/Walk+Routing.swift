import XCallbackRouting
import XCallbackURL

extension Walk {
    /// Finds the route and gathers the parameters.
    mutating func match(_ pipeline: Pipeline) {
        let scheme = pipeline.scheme(named: request.url.storage.bytes.span.extracting(request.url.schemeRange))
        guard let scheme else { return fallBack(pipeline, .unknownScheme) }
        if let offset = request.url.oddHostOffset {
            return end(with: .error(ActionURLError(.notAHostName, at: offset).callbackError))
        }
        let routeIndex = scheme.match(
            request.url.storage, request.url.segmentRanges, hostIsFirst: request.url.hostIsSegment, into: &captures)
        guard let routeIndex else { return fallBack(pipeline, .unknownAction) }
        let route = scheme.routes[routeIndex]
        request.matchedRoute = route
        if request.origin == .desktop, !route.isPublic { return end(with: .error(.privateRoute)) }
        enter(route)
    }

    /// Takes what no route answers to the middleware of all requests, which sees the error and may answer instead.
    private mutating func fallBack(_ pipeline: Pipeline, _ error: CallbackError) {
        guard let route = pipeline.fallback else { return end(with: .error(error)) }
        captures.removeAll(keepingCapacity: true)
        request.matchedRoute = route
        enter(route)
    }

    private mutating func enter(_ route: Route) {
        if route.readsForms { request.url.decodeItemsAsForm() }
        request.parameters.gather(captures, of: route, request.url.storage, request.url.entries)
        phase = .receiving
        enteredCount = 0
        askedCount = 0
    }

    /// Why a redirect may not be followed; nil if it may.
    func refusal(of target: Callback, _ pipeline: Pipeline) -> CallbackError? {
        guard pipeline.owns(target) else {
            let isAllowed = pipeline.callbackRules.allow(target.bytes.span, target.layout, for: receivedOrigin)
            return isAllowed ? nil : .forbiddenRedirect
        }
        guard redirectCount >= pipeline.maximumRedirects else { return nil }
        return CallbackError(.loop, "The action was redirected more than \(redirectCount) times.")
    }

    /// Goes on with another URL of the pipeline, or ends the request with the URL of another application.
    mutating func redirect(to target: Callback, _ pipeline: Pipeline) {
        // Middleware may have put another redirect in its place.
        if let error = refusal(of: target, pipeline) { response = .error(error) }
        guard case .redirect = response, pipeline.owns(target) else { return }
        redirectCount += 1
        if request.receivedURL == nil {
            request.receivedURL = request.url
            request.url = ActionURL()
        }
        request.origin = .internal
        request.matchedRoute = nil
        request.data = [:]
        hasResponse = false
        do throws(ActionURLError) {
            try request.url.parse(target.bytes.span, maximumItems: pipeline.maximumParameters)
            phase = .matching
        } catch {
            end(with: .error(CallbackError(.internalFailure, "The action was redirected to a URL with \(error).")))
        }
    }
}

extension Pipeline.Scheme {
    /// The position of the route that answers an action, or nil.
    func match(
        _ texts: ByteBuffer, _ segments: ReusableArray<Range<Int>>, hostIsFirst: Bool, into captures: inout [Capture]
    ) -> Int? {
        let start = hostIsFirst && ignoresHosts ? 1 : 0
        let segments = segments.elements.span.extracting(start..<segments.count)
        return table.match(texts.bytes.span, segments: segments, into: &captures)
    }
}

extension QueryItems {
    /// Becomes the captures, then the items of the query that do not have the name of one; a capture of a group that is
    /// left out takes no item's place.
    fileprivate mutating func gather(
        _ captures: [Capture], of route: Route, _ texts: borrowing ByteBuffer,
        _ entries: borrowing ReusableArray<Entry>
    ) {
        reset(to: texts)
        let names = route.captureNames
        for index in captures.indices {
            let capture = captures[index]
            let name = names[capture.index]
            append(captureNamed: name.span, value: capture.range)
        }
        appendUncaptured(entries)
    }
}

extension CallbackError {
    fileprivate static let forbiddenRedirect = CallbackError(
        .refused, "The action leads to an application that this request may not reach.")
}
