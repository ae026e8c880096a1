import XCallbackRouting
import XCallbackURL
package import XCallbackWire

/// One request on its way through a pipeline: its position and its results so far.
///
/// The execution is synchronous until it reaches an async stage. It is a value: a waiting request keeps its execution,
/// and the owner's next request starts another. A new request reuses the memory of the previous execution. The methods
/// stand in the order of life: parse, match, middleware, policies, input, ask, handle, finish.
package struct Execution: Sendable {
    /// The position of the request.
    enum Phase: Sendable {
        /// The route is not known yet.
        case matching
        /// The next middleware runs next.
        case receiving
        /// The policies and the input are next.
        case verifying
        /// The async policies are next.
        case asking
        /// The handler is next.
        case handling
        /// The entered middleware has yet to see the response.
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
    /// The number of middleware stages that received the request and have not seen the response.
    private(set) var enteredCount = 0
    /// The number of policies before the input that have verified.
    private(set) var verifiedCount = 0
    /// The number of async policies that have verified.
    private(set) var askedCount = 0
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
    package init(peer: Peer, origin: Origin, isAdmitted: Bool = false) {
        request = Request(peer: peer, origin: origin)
        self.isAdmitted = isAdmitted
    }

    // The accessors are mutating, like all methods of an execution in use: otherwise callers copy it.

    /// The time limit of all async stages of the route together, if the route has one.
    package var timeout: Duration? {
        mutating get { request.matchedRoute?.timeout }
    }

    /// Gives access to the request without copying it.
    package mutating func withRequest(to body: (Request) -> Void) { body(request) }

    /// Calls a function with the execution, its route and the route's chain; nil if there is no route.
    ///
    /// The route must not change during the call: references are not counted, because the request keeps it alive.
    @discardableResult @inline(__always)
    mutating func withRoute<Result>(_ body: (inout Execution, Route, Chain) -> Result) -> Result? {
        guard let route = request.matchedRoute.map(Unmanaged.passUnretained) else { return nil }
        return route._withUnsafeGuaranteedRef { route in
            Unmanaged.passUnretained(route.chain)._withUnsafeGuaranteedRef { body(&self, route, $0) }
        }
    }

    // MARK: - The whole life

    /// Answers a request, or stops at an async stage.
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
            guard pass(pipeline, host) else { return false }
            guard case .redirect(let target) = response else { return true }
            redirect(to: target, pipeline)
            if case .finishing = phase { return true }
        }
    }

    /// Takes the request through the remaining stages of its route; false if an async stage is next.
    private mutating func pass(_ pipeline: Pipeline, _ host: any StageHost) -> Bool {
        // A request that ends before it has a route meets no stage.
        withRoute { execution, route, chain in execution.pass(route, chain, pipeline, host) } ?? true
    }

    private mutating func pass(
        _ route: Route, _ chain: Chain, _ pipeline: Pipeline, _ host: any StageHost
    ) -> Bool {
        if case .receiving = phase, !receive(chain, host) { return false }
        if case .verifying = phase, !verify(route, chain, host) { return false }
        if case .asking = phase, !ask(chain) { return false }
        if case .handling = phase, !handle(route, chain, pipeline, host) { return false }
        // The middleware sees the response of the request.
        if case .redirect(let target) = response, let error = refusal(of: target, pipeline) {
            response = .error(error)
        }
        return finish(chain, host)
    }

    /// Releases everything of the request except memory for the next one.
    ///
    /// - Returns: The number of bytes that stay reserved for a URL.
    package mutating func forget() -> Int {
        reset(request.peer, request.origin)
        request.matchedRoute = nil
        response = .cancel
        return request.url.storage.bytes.count
    }

    @inline(__always)
    private mutating func reset(_ peer: Peer, _ origin: Origin) {
        if request.isRedirected { request.restoreURL() }
        if !request.data.isEmpty { request.data = [:] }
        if request.clientName != nil { request.clientName = nil }
        request.peer = peer
        request.origin = origin
        request.receivedOrigin = origin
        hasResponse = false
        isHandled = false
        isURL = true
        phase = .matching
        enteredCount = 0
        verifiedCount = 0
        askedCount = 0
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
        if hasResponse { request.matchedRoute = nil }
        return PendingAnswer()
    }

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
        enteredCount = 0
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
                end(with: .error(error))
            }
        }
    }

    /// Passes a request without a route to the middleware of all requests, which can replace the error.
    @inline(never)
    private mutating func fallBack(_ pipeline: Pipeline, _ error: CallbackError, comparesSecrets: Bool) {
        // A password reaches only a route that declares it.
        guard let route = pipeline.fallback, !request.url.hasPassword else { return end(with: .error(error)) }
        captures.removeAll(keepingCapacity: true)
        request.matchedRoute = route
        enter(comparesSecrets: comparesSecrets)
    }

    /// Starts with the stages of the route.
    private mutating func enter(comparesSecrets: Bool) {
        withRoute { execution, route, chain in
            guard chain.usesParameters else { return execution.request.parameters.removeAll() }
            if route.readsForms { execution.request.url.decodeItemsAsForm() }
            if !chain.secrets.isEmpty {
                if comparesSecrets { execution.request.compare(chain.secrets) }
                execution.request.hide(chain.secrets)
            }
            execution.request.parameters.gather(execution.captures, of: route, execution.request.url)
        }
        phase = .receiving
        enteredCount = 0
        verifiedCount = 0
        askedCount = 0
    }

    // MARK: - Middleware

    /// Lets the middleware receive the request; false if an async stage is next.
    @inline(__always)
    private mutating func receive(_ chain: Chain, _ host: any StageHost) -> Bool {
        while enteredCount < chain.middleware.count {
            if chain.isAsyncMiddleware[enteredCount] { return false }
            let step = chain.middleware.withElement(at: enteredCount) { $0.receive(&request, host) }
            enteredCount += 1
            if case .answer(let response) = step {
                leave(with: response)
                return true
            }
        }
        phase = .verifying
        return true
    }

    // MARK: - Policies, input, ask

    /// Runs the policies and decodes the input; false if an async policy is next.
    @inline(__always)
    private mutating func verify(_ route: Route, _ chain: Chain, _ host: any StageHost) -> Bool {
        while verifiedCount < chain.policies.count {
            if chain.isAsyncPolicy[verifiedCount] { return false }
            let result = chain.policies.withElement(at: verifiedCount) { $0.verify(request, host) }
            if case .failed(let error) = result {
                leave(with: .error(error))
                return true
            }
            verifiedCount += 1
        }
        if chain.declaresInput {
            do throws(CallbackError) {
                try chain.stages.input.decode(&request.parameters, plusIsSpace: route.readsForms)
            } catch {
                leave(with: .error(error))
                return true
            }
        }
        phase = .asking
        return true
    }

    /// Goes on to the handler if all async policies have verified; false if one is next.
    @inline(__always)
    private mutating func ask(_ chain: Chain) -> Bool {
        guard askedCount == chain.asyncPolicyCount else { return false }
        phase = .handling
        return true
    }

    // MARK: - Handle

    /// Calls the handler; false if it is async.
    @inline(__always)
    private mutating func handle(
        _ route: Route, _ chain: Chain, _ pipeline: Pipeline, _ host: any StageHost
    ) -> Bool {
        if chain.constantResponse.count > 0 {
            chain.constantResponse.withElement(at: 0) { response = copy $0 }
        } else {
            guard chain.handler.count > 0 else { return false }
            response = chain.handler.withElement(at: 0) { $0.handle(request, host) }
        }
        isHandled = route !== pipeline.fallback
        leave()
        return true
    }

    // MARK: - Finish

    @inline(never)
    private mutating func leave(with response: Response) {
        self.response = response
        leave()
    }

    /// Starts the way back: the middleware that received the request sees the response.
    private mutating func leave() {
        response.check()
        hasResponse = true
        phase = .finishing
    }

    /// Shows the response to the middleware; false if an async stage is next.
    private mutating func finish(_ chain: Chain, _ host: any StageHost) -> Bool {
        guard enteredCount > 0 else { return true }
        while enteredCount > 0 {
            if chain.isAsyncMiddleware[enteredCount - 1] { return false }
            enteredCount -= 1
            chain.middleware.withElement(at: enteredCount) { $0.finish(request, &response, host) }
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
    /// Takes the result of the async stage or of the delivery; then ``advance(in:_:)`` continues.
    package mutating func resume(with outcome: AsyncStage.Outcome) {
        switch outcome {
        case .received(let changed, let step):
            request.parameters = changed.parameters
            request.data = changed.data
            enteredCount += 1
            if case .answer(let response) = step { leave(with: response) }
        case .verified(let response):
            if case .verifying = phase { verifiedCount += 1 } else { askedCount += 1 }
            if let response { leave(with: response) }
        case .handled(let response):
            isHandled = true
            leave(with: response)
        case .refused(let error): leave(with: .error(error))
        case .failed: leave(with: .error(.internalFailure))
        case .finished(let response):
            enteredCount -= 1
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
        if case .finishing = phase { self.response = response } else { leave(with: response) }
        guard let chain = request.matchedRoute?.chain else { return }
        while !finish(chain, host) { enteredCount -= 1 }
    }
}

extension CallbackError {
    fileprivate static let forbiddenRedirect = CallbackError(
        .refused, "The action leads to an application that this request may not reach.")
}
