import XCallbackURL
package import XCallbackWire

/// One request on its way through a pipeline: its position and its results so far.
///
/// The execution is synchronous until it reaches an async stage. It is a value: a waiting request keeps its execution,
/// and the owner's next request starts another. A new request reuses the memory of the previous execution. The methods
/// stand in the order of life: parse, match, gather, pass through the stages, finish, write.
package struct Execution: Sendable {
    /// The position of the request.
    enum Phase: Sendable {
        /// The route is not known yet.
        case matching
        /// The stage at the position runs next.
        case running
        /// The middleware before the position has yet to see the response.
        case finishing
    }

    /// The request.
    package internal(set) var request: Request
    /// The response of the request, once it is known.
    package internal(set) var response = Response.cancel
    /// Whether the response is known.
    private(set) var hasResponse = false
    /// Whether the response comes from the handler, rather than from the daemon.
    package internal(set) var isHandled = false
    private(set) var phase = Phase.matching
    /// The number of stages that the request has passed; at the end, the number of those that it goes back through.
    private(set) var position = 0
    private var redirectCount = 0
    /// Whether the input is a URL at all: it has a scheme, and no raw space or control character.
    package private(set) var isURL = true
    private var captures: [Capture] = []
    /// Whether another router has already admitted its requests, so that private routes answer all of them; what a
    /// redirect leads to is not admitted.
    private let isAdmitted: Bool
    /// The possible targets of the answer.
    private var callbacks = Callbacks()

    /// Creates an execution for the requests of a peer.
    package init(
        peer: Peer, origin: Origin, isAdmitted: Bool = false, progressReceiver: (any ProgressReceiver)? = nil
    ) {
        request = Request(peer: peer, origin: origin)
        request.progressReceiver = progressReceiver
        self.isAdmitted = isAdmitted
    }

    // The accessors are mutating, like all methods of an execution in use: otherwise callers copy it.

    /// Gives access to the request without copying it.
    package mutating func withRequest(to body: (Request) -> Void) { body(request) }

    // MARK: - The whole life

    /// Answers a request, or stops at an async stage, for a router within a process; the daemon takes the steps itself
    /// (`RequestProcessor`).
    ///
    /// - Parameters:
    ///   - line: The URL as received.
    ///   - id: The ID of the request, if it is from a daemon.
    ///   - peer: The process that sent the URL.
    ///   - origin: The origin of the URL.
    ///   - pipeline: The pipeline that answers the request.
    ///   - host: What the stages may ask.
    ///   - output: The buffer to append to.
    /// - Returns: The pending answer if an async stage stops the execution: ``asyncStage`` is next.
    package mutating func answer(
        _ line: Span<UInt8>, as id: RequestID? = nil, from peer: Peer, origin: Origin, in pipeline: Pipeline,
        _ host: any StageHost, into output: inout ByteBuffer
    ) -> PendingAnswer? {
        let answer = begin(line, as: id, from: peer, origin: origin, in: pipeline)
        guard advance(in: pipeline, host) else { return answer }
        write(answer, into: &output)
        return nil
    }

    /// Runs until the request has its response or reaches an async stage.
    ///
    /// - Parameters:
    ///   - pipeline: The pipeline of the execution.
    ///   - host: What the stages may ask.
    /// - Returns: Whether ``response`` is final; if not, ``asyncStage`` is next.
    package mutating func advance(in pipeline: Pipeline, _ host: any StageHost) -> Bool {
        while true {
            if case .matching = phase { match(pipeline) }
            // A request that ends before it has a route meets no stage.
            if let route = request.matchedRoute, !pass(route, pipeline, host) { return false }
            guard case .redirect(let target) = response else { return true }
            redirect(to: target, pipeline)
            if case .finishing = phase { return true }
        }
    }

    @inline(__always)
    private mutating func reset(_ peer: Peer, _ origin: Origin) {
        if request.isRedirected { request.restoreURL() }
        if !request.data.isEmpty { request.data = [:] }
        if request.clientName != nil { request.clientName = nil }
        request.hasSecrets = false
        request.isAllowed = nil
        request.peer = peer
        request.origin = origin
        request.receivedOrigin = origin
        hasResponse = false
        isHandled = false
        isURL = true
        phase = .matching
        position = 0
        redirectCount = 0
    }

    // MARK: - Parse

    /// Starts the execution of another request.
    ///
    /// A malformed URL or callback ends it before any stage runs.
    ///
    /// - Parameters:
    ///   - line: The URL as received.
    ///   - id: The ID of the request, if it is from a daemon.
    ///   - peer: The process that sent the URL.
    ///   - origin: The origin of the URL.
    ///   - clientName: The name that the client gives itself beside the URL; nil for none.
    ///   - pipeline: The pipeline that answers the request.
    /// - Returns: The pending answer to the request.
    package mutating func begin(
        _ line: Span<UInt8>, as id: RequestID?, from peer: Peer, origin: Origin, named clientName: String? = nil,
        in pipeline: Pipeline
    ) -> PendingAnswer {
        reset(peer, origin)
        request.id = id
        if let clientName { request.clientName = clientName }
        do throws(CallbackError) {
            try parse(line, pipeline)
            try callbacks.check(request.url, pipeline.callbackRules, origin)
        } catch {
            end(with: .error(error))
        }
        // Otherwise the route is still that of the previous request, until the route of this one is found.
        if hasResponse {
            request.matchedRoute = nil
            request.parameters.removeAll()
        }
        return PendingAnswer()
    }

    /// Marks the request as one with values that no history and no log may have.
    package mutating func keepSecrets() { request.hasSecrets = true }

    @inline(__always)
    private mutating func parse(_ line: Span<UInt8>, _ pipeline: Pipeline) throws(CallbackError) {
        // Only a return URL can begin with this letter and not follow the rules for requests.
        if !line.isEmpty, asciiLowercase(line[0]) == UInt8(ascii: "x"),
            request.receiveReturn(line, maximumItems: pipeline.maximumParameters)
        {
            return
        }
        do throws(ActionURLError) {
            try request.url.parse(line, as: pipeline.syntax(of: line), maximumItems: pipeline.maximumParameters)
        } catch {
            isURL = error.reason != .missingScheme && !hasRawControl(line)
            guard isURL, request.url.syntax == .callback else {
                request.url.keepNoCallback()
                return end(with: .error(pipeline.callbackRules.settings.callbackError(of: error)))
            }
            let isForeign = !request.url.schemeRange.isEmpty && !pipeline.hasScheme(of: request.url)
            request.url.keepOnlyErrorCallback(of: line)
            end(with: .error(isForeign ? .unknownScheme : pipeline.callbackRules.settings.callbackError(of: error)))
        }
    }

    /// Ends the execution with a response before any middleware has seen the request.
    mutating func end(with response: Response) {
        // The client gets the first fault.
        if !hasResponse { self.response = response }
        hasResponse = true
        phase = .finishing
        position = 0
    }

    // MARK: - Match

    /// Finds the route and gathers the parameters.
    ///
    /// - Parameters:
    ///   - pipeline: The pipeline of the execution.
    ///   - comparesSecrets: Whether secrets are compared; they are removed in any case.
    mutating func match(_ pipeline: Pipeline, comparesSecrets: Bool = true) {
        do throws(CallbackError) {
            try pipeline.match(&request, into: &captures)
            enter(comparesSecrets: comparesSecrets)
        } catch {
            if error.code == .unknownAction {
                fallBack(pipeline, error, comparesSecrets: comparesSecrets)
            } else if isAdmitted, redirectCount == 0,
                [.privateRoute, .notForAgents, .passwordNotDeclared].contains(error)
            {
                enter(comparesSecrets: comparesSecrets)
            } else {
                // They are those of the request before.
                request.parameters.removeAll()
                end(with: .error(error))
            }
        }
    }

    /// Passes a request without a route to the middleware of all requests, which can replace the error.
    @inline(never)
    private mutating func fallBack(_ pipeline: Pipeline, _ error: CallbackError, comparesSecrets: Bool) {
        // A password reaches only a route that declares it.
        guard let route = pipeline.fallback, !request.url.hasPassword else {
            request.parameters.removeAll()
            return end(with: .error(error))
        }
        captures.removeAll(keepingCapacity: true)
        request.matchedRoute = route
        enter(comparesSecrets: comparesSecrets)
    }

    /// Starts with the stages of the route.
    private mutating func enter(comparesSecrets: Bool) {
        if request.matchedRoute?.chain.usesParameters == true {
            gather(comparesSecrets: comparesSecrets)
        } else {
            request.parameters.removeAll()
        }
        phase = .running
        position = 0
    }

    // MARK: - Gather

    /// Replaces the parameters with the captures, then the query items with other names; an omitted capture of an optional
    /// group does not hide an item.
    private mutating func gather(comparesSecrets: Bool) {
        guard let route = request.matchedRoute else { return }
        let chain = route.chain
        if route.readsForms { request.url.decodeItemsAsForm() }
        if chain.hasSecrets { request.hasSecrets = true }
        if !chain.secrets.isEmpty {
            if comparesSecrets { request.compare(chain.secrets) }
            request.hide(chain.secrets)
        }
        request.parameters.reset(to: request.url, route.captureNames)
        for capture in captures {
            request.parameters.append(captureAt: capture.index, of: route.captureNames, value: capture.range)
        }
        request.parameters.appendUncaptured(of: request.url)
        if !route.declaredFacts.isEmpty { gather(route.declaredFacts) }
    }

    /// Replaces the parameters with the names of facts with the facts.
    @inline(never)
    private mutating func gather(_ facts: [RequestFact]) {
        for fact in facts {
            request.parameters.removeAll(named: fact.parameterName)
            if let text = request.url.text(of: fact) { request.parameters.append(fact.parameterName, text) }
        }
    }

    // MARK: - The stages

    /// Takes the request through the remaining stages of its route, and back; false if an async stage is next.
    private mutating func pass(_ route: Route, _ pipeline: Pipeline, _ host: any StageHost) -> Bool {
        let chain = route.chain
        while case .running = phase {
            switch chain.elements[position] {
            case .middleware(let middleware):
                let step = middleware.value.receive(&request, host)
                position += 1
                if case .answer(let response) = step { turnBack(with: response) }
            case .policy(let policy):
                let result = policy.value.verify(request, host)
                if case .failed(let error) = result { turnBack(with: .error(error)) } else { position += 1 }
            case .input: decode(chain.stages.input)
            case .handler(let handler):
                turnBack(with: handler.value.handle(request, host))
                isHandled = request.matchedRoute !== pipeline.fallback
            case .response(let response):
                self.response = response.value
                turnBack()
                isHandled = request.matchedRoute !== pipeline.fallback
            default: return false
            }
        }
        // The middleware sees the response of the request.
        if case .redirect(let target) = response, let error = refusal(of: target, pipeline) {
            response = .error(error)
        }
        return finish(chain, host)
    }

    private mutating func decode(_ input: borrowing Input) {
        do throws(CallbackError) {
            try input.decode(&request.parameters, plusIsSpace: request.matchedRoute?.readsForms == true)
            position += 1
        } catch {
            turnBack(with: .error(error))
        }
    }

    private mutating func turnBack(with response: Response) {
        self.response = response
        turnBack()
    }

    /// Starts the way back: the middleware that received the request sees the response.
    private mutating func turnBack() {
        response.check()
        hasResponse = true
        phase = .finishing
    }

    // MARK: - Finish

    /// Shows the response to the middleware; false if an async stage is next.
    private mutating func finish(_ chain: Chain, _ host: any StageHost) -> Bool {
        position = min(position, chain.middlewareCount)
        guard position > 0 else { return true }
        while position > 0 {
            switch chain.elements[position - 1] {
            case .middleware(let middleware):
                position -= 1
                middleware.value.finish(request, &response, host)
            default: return false
            }
        }
        response.check()
        return true
    }

    /// Writes the pending answer to the request, after ``advance(in:_:)`` has finished.
    ///
    /// The method is mutating only so that callers do not copy the execution.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - output: The buffer to append to.
    package mutating func write(_ answer: consuming PendingAnswer, into output: inout ByteBuffer) {
        if request.isRedirected, let received = request.receivedURL {
            answer.write(response, to: callbacks, of: received, into: &output)
        } else {
            answer.write(response, to: callbacks, of: request.url, into: &output)
        }
    }

    /// Whether the answer is a URL from the request or its route, so that another party must receive it; the daemon's
    /// own answers are only for the client.
    package var hasExplicitTarget: Bool { callbacks.hasTarget(for: response) }
}

// MARK: - Redirects

extension Execution {
    /// Returns the reason why a redirect is not allowed; nil if it is allowed.
    @inline(never)
    private func refusal(of target: Callback, _ pipeline: Pipeline) -> CallbackError? {
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
        guard isHandled, let handler = request.matchedRoute?.stages.handler, handler.facts.redirect?.isFree == false,
            case .immediate(let stage) = handler.stage
        else { return false }
        return stage.plan(for: request).response == .redirect(target)
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
        request.isAllowed = nil
        hasResponse = false
        do throws(ActionURLError) {
            try request.url.parse(target.bytes.span, maximumItems: pipeline.maximumParameters)
            phase = .matching
        } catch {
            end(with: .error(CallbackError(.internalFailure, "The action was redirected to a URL with \(error).")))
        }
    }
}

// MARK: - Async stages

extension Execution {
    /// Whether the current stage is a policy that asks the user about the request.
    private var isAsking: Bool {
        guard let chain = request.matchedRoute?.chain else { return false }
        let index = position - chain.middlewareCount - chain.stages.policies.count - (chain.declaresInput ? 1 : 0)
        guard chain.stages.asyncPolicies.indices.contains(index) else { return false }
        let facts = chain.stages.asyncPolicies[index].facts
        return facts.asksUser && !facts.ignoresOrigins.isSuperset(of: [request.origin.bit, request.receivedOrigin.bit])
    }

    /// Takes the result of the async stage or of the delivery; then ``advance(in:_:)`` continues.
    package mutating func resume(with outcome: AsyncStage.Outcome) {
        switch outcome {
        case .received(let changed, let step):
            request.parameters = changed.parameters
            request.data = changed.data
            request.isAllowed = changed.isAllowed
            position += 1
            if case .answer(let response) = step { turnBack(with: response) }
        case .verified(let response):
            if isAsking, response == nil || response == .cancel { request.isAllowed = response == nil }
            if let response { turnBack(with: response) } else { position += 1 }
        case .handled(let response):
            isHandled = true
            turnBack(with: response)
        case .refused(let error): turnBack(with: .error(error))
        case .failed: turnBack(with: .error(.internalFailure))
        case .finished(let response):
            position -= 1
            self.response = response
            self.response.check()
        }
    }

    /// Ends the execution during an async stage: only synchronous middleware sees the response, nothing else runs.
    ///
    /// - Parameters:
    ///   - response: The response of the request, for example a timeout.
    ///   - host: What the stages may ask.
    package mutating func interrupt(with response: Response, _ host: any StageHost) {
        isHandled = false
        if case .finishing = phase { self.response = response } else { turnBack(with: response) }
        guard let chain = request.matchedRoute?.chain else { return }
        while !finish(chain, host) { position -= 1 }
    }
}

extension CallbackError {
    fileprivate static let forbiddenRedirect = CallbackError(
        .refused, "The action leads to an application that this request may not reach.")
}
