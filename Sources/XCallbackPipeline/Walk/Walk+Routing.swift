import XCallbackRouting
import XCallbackURL

extension Walk {
    /// Finds the route and gathers the parameters.
    ///
    /// - Parameters:
    ///   - pipeline: The pipeline of the walk.
    ///   - comparesSecrets: Whether secrets are compared; they are removed in any case.
    mutating func match(_ pipeline: Pipeline, comparesSecrets: Bool = true) {
        do throws(CallbackError) {
            try pipeline.match(&request, into: &captures)
            enter(comparesSecrets: comparesSecrets)
        } catch {
            if error.code == .unknownAction {
                fallBack(pipeline, error)
            } else if isAdmitted, redirectCount == 0, error == .privateRoute || error == .notForAgents {
                enter(comparesSecrets: comparesSecrets)
            } else {
                end(with: .error(error))
            }
        }
    }

    /// Passes a request without a route to the middleware of all requests, which can replace the error.
    @inline(never)
    private mutating func fallBack(_ pipeline: Pipeline, _ error: CallbackError) {
        guard let route = pipeline.fallback else { return end(with: .error(error)) }
        captures.removeAll(keepingCapacity: true)
        request.matchedRoute = route
        enter(comparesSecrets: true)
    }

    /// Starts with the stages of the route.
    private mutating func enter(comparesSecrets: Bool) {
        withRoute { walk, route, chain in
            guard chain.usesParameters else { return walk.request.parameters.removeAll() }
            if route.readsForms { walk.request.url.decodeItemsAsForm() }
            if !chain.secrets.isEmpty {
                if comparesSecrets { walk.request.compareSecrets(of: chain.secrets) }
                walk.request.hideSecrets(of: chain.secrets)
            }
            walk.request.parameters.gather(walk.captures, of: route, walk.request.url)
        }
        phase = .receiving
        enteredCount = 0
        verifiedCount = 0
        askedCount = 0
    }

    /// Calls a function with the walk, its route and the route's chain; nil if there is no route.
    ///
    /// The route must not change during the call: references are not counted, because the request keeps it alive.
    @discardableResult @inline(__always)
    mutating func withRoute<Result>(_ body: (inout Walk, Route, Chain) -> Result) -> Result? {
        guard let route = request.matchedRoute.map(Unmanaged.passUnretained) else { return nil }
        return route._withUnsafeGuaranteedRef { route in
            Unmanaged.passUnretained(route.chain)._withUnsafeGuaranteedRef { body(&self, route, $0) }
        }
    }

    /// Returns the reason why a redirect is not allowed; nil if it is allowed.
    @inline(never)
    func refusal(of target: Callback, _ pipeline: Pipeline) -> CallbackError? {
        guard pipeline.owns(target) else {
            // A route that is offered to assistants fixes the target in its configuration.
            let origin = request.receivedOrigin == .agent ? Origin.socket : request.receivedOrigin
            let isAllowed = pipeline.callbackRules.allow(target.bytes.span, target.layout, for: origin)
            return isAllowed ? nil : .forbiddenRedirect
        }
        guard redirectCount >= pipeline.maximumRedirects else { return nil }
        return CallbackError(.loop, "The action was redirected more than \(redirectCount) times.")
    }

    /// Whether the configuration decides where a redirect leads: the target is the one that it has made the handler
    /// return, and no stage has replaced it.
    private func isDecidedByConfiguration(_ target: Callback) -> Bool {
        guard isHandled, case .immediate(let handler)? = request.matchedRoute?.stages.handler.stage else {
            return false
        }
        return (handler as? any ConfiguredRedirect)?.configuredTarget(of: request) == target
    }

    /// Continues with another URL of the pipeline, or ends the request with the URL of another application.
    @inline(never)
    mutating func redirect(to target: Callback, _ pipeline: Pipeline) {
        // Middleware may have replaced the redirect.
        if let error = refusal(of: target, pipeline) { response = .error(error) }
        guard case .redirect = response, pipeline.owns(target) else { return }
        redirectCount += 1
        if request.receivedURL == nil {
            request.receivedURL = request.url
            request.url = ActionURL()
        }
        // If a web page or an assistant may have written the target, the configuration did not intend this action.
        let isIntended = !request.receivedOrigin.isForeign || isDecidedByConfiguration(target)
        request.origin = isIntended ? .internal : request.receivedOrigin
        request.matchedRoute = nil
        isHandled = false
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

extension QueryItems {
    /// Replaces the items with the captures, then the query items with other names; an omitted capture of an optional
    /// group does not hide an item.
    fileprivate mutating func gather(_ captures: [Capture], of route: Route, _ url: borrowing ActionURL) {
        reset(to: url, route.captureNames)
        for capture in captures { append(captureAt: capture.index, of: route.captureNames, value: capture.range) }
        appendUncaptured(of: url)
    }
}

extension CallbackError {
    fileprivate static let forbiddenRedirect = CallbackError(
        .refused, "The action leads to an application that this request may not reach.")
}
