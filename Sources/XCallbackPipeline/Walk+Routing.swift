import XCallbackRouting
import XCallbackURL

extension Walk {
    /// Finds the route and gathers the parameters.
    mutating func match(_ pipeline: Pipeline) {
        guard
            let scheme = pipeline.scheme(
                named: request.url.storage.bytes.span.extracting(request.url.schemeRange))
        else { return end(with: .error(.unknownScheme)) }
        if let offset = request.url.oddHostOffset {
            return end(with: .error(ActionURLError(.notAHostName, at: offset).callbackError))
        }
        let routeIndex = scheme.match(
            request.url.storage, request.url.segmentRanges, hostIsFirst: request.url.hostIsSegment, into: &captures)
        guard let routeIndex else { return end(with: .error(.unknownAction)) }
        let route = scheme.routes[routeIndex]
        request.matchedRoute = route
        if request.origin == .desktop, !route.isPublic { return end(with: .error(.privateRoute)) }
        if route.readsForms { request.url.decodeItemsAsForm() }
        request.parameters.gather(captures, of: route, request.url.storage, request.url.entries)
        phase = .receiving
        enteredCount = 0
        askedCount = 0
    }

    /// Goes on with another URL of the pipeline, or ends the request with the URL of another application.
    mutating func redirect(to target: Callback, _ pipeline: Pipeline) {
        guard pipeline.owns(target) else {
            let isAllowed = pipeline.callbackRules.allow(target.bytes.span, target.layout, for: receivedOrigin)
            if !isAllowed { response = .error(.forbiddenRedirect) }
            return
        }
        guard redirectCount < pipeline.maximumRedirects else {
            response = .error(CallbackError(.loop, "The action was redirected more than \(redirectCount) times."))
            return
        }
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
    fileprivate func match(
        _ texts: ByteBuffer, _ segments: ReusableArray<Range<Int>>, hostIsFirst: Bool, into captures: inout [Capture]
    ) -> Int? {
        let start = hostIsFirst && ignoresHosts ? 1 : 0
        let segments = segments.elements.span.extracting(start..<segments.count)
        return table.match(texts.bytes.span, segments: segments, into: &captures)
    }
}

extension QueryItems {
    /// Becomes the captures, then the items of the query that do not have the name of a capture.
    fileprivate mutating func gather(
        _ captures: [Capture], of route: Route, _ texts: borrowing ByteBuffer, _ entries: ReusableArray<Entry>
    ) {
        reset(to: texts)
        let names = route.captureNames
        for index in captures.indices {
            let capture = captures[index]
            let name = names[capture.index]
            append(captureNamed: name.span, value: capture.range)
        }
        append(entries, notNamed: names)
    }
}

extension CallbackError {
    fileprivate static let forbiddenRedirect = CallbackError(
        .refused, "The action leads to an application that this request may not reach.")
}
