import XCallbackURL

extension Walk {
    /// Runs until the request has its response or reaches an async stage.
    ///
    /// - Parameters:
    ///   - pipeline: The pipeline of the walk.
    ///   - state: The memory of the stages.
    /// - Returns: Whether ``response`` is final; if not, ``asyncStage`` is next.
    package mutating func advance(in pipeline: Pipeline, _ state: inout PipelineState) -> Bool {
        while true {
            if case .matching = phase { match(pipeline) }
            guard pass(pipeline, &state) else { return false }
            guard case .redirect(let target) = response else { return true }
            redirect(to: target, pipeline)
            if case .finishing = phase { return true }
        }
    }

    /// The async stage with its input; nil if none is next: the walk has ended, or a delivery is next.
    package var asyncStage: AsyncStage? {
        guard let stages = request.matchedRoute?.stages else { return nil }
        switch phase {
        case .receiving:
            guard case .asynchronous(let middleware)? = stages.middleware.element(at: enteredCount)?.stage
            else { return nil }
            return .receive(middleware, request)
        case .verifying:
            guard case .looking(let policy)? = stages.policies.element(at: verifiedCount)?.stage else { return nil }
            return .look(policy, request)
        case .asking: return stages.asyncPolicies.element(at: askedCount).map { .verify($0.stage, request) }
        case .handling:
            guard case .asynchronous(let handler) = stages.handler.stage else { return nil }
            return .handle(handler, request)
        case .finishing:
            guard case .asynchronous(let middleware)? = stages.middleware.element(at: enteredCount - 1)?.stage
            else { return nil }
            return .finish(middleware, request, response)
        case .matching: return nil
        }
    }

    /// The handler whose requests are answered by a client, if it is next.
    package var deliveringHandler: (any DeliveringHandler)? {
        mutating get {
            guard case .handling = phase,
                case .delivering(let handler)? = request.matchedRoute?.chain.stages.handler.stage
            else { return nil }
            return handler
        }
    }

    /// Takes the result of the async stage or of the delivery; then ``advance(in:_:)`` continues.
    package mutating func resume(with outcome: AsyncStage.Outcome) {
        switch outcome {
        case .received(let changed, let step):
            request.parameters = changed.parameters
            request.data = changed.data
            enteredCount += 1
            if case .answer(let response) = step { leave(with: response) }
        case .looked(let verdict):
            verifiedCount += 1
            if case .failed(let error) = verdict { leave(with: .error(error)) }
        case .verified(let response):
            askedCount += 1
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

    /// Ends the walk during an async stage: only synchronous middleware sees the response, nothing else runs.
    ///
    /// - Parameters:
    ///   - response: The response of the request, for example a timeout.
    ///   - state: The memory of the stages.
    package mutating func interrupt(with response: Response, _ state: inout PipelineState) {
        isHandled = false
        if case .finishing = phase { self.response = response } else { leave(with: response) }
        guard let chain = request.matchedRoute?.chain else { return }
        while !finish(chain, &state) { enteredCount -= 1 }
    }

    /// Takes the request through the remaining stages of its route; false if an async stage is next.
    private mutating func pass(_ pipeline: Pipeline, _ state: inout PipelineState) -> Bool {
        // A request that ends before it has a route meets no stage.
        withRoute { walk, route, chain in walk.pass(route, chain, pipeline, &state) } ?? true
    }

    private mutating func pass(
        _ route: Route, _ chain: Chain, _ pipeline: Pipeline, _ state: inout PipelineState
    ) -> Bool {
        if case .receiving = phase, !receive(chain, &state) { return false }
        if case .verifying = phase, !verify(route, chain, &state) { return false }
        if case .asking = phase {
            guard askedCount == chain.asyncPolicyCount else { return false }
            phase = .handling
        }
        if case .handling = phase {
            if chain.constantResponse.count > 0 {
                chain.constantResponse.withElement(at: 0) { response.become($0) }
            } else {
                guard chain.handler.count > 0 else { return false }
                response = chain.handler.withElement(at: 0) { $0.handle(request, &state) }
            }
            isHandled = route !== pipeline.fallback
            leave()
        }
        // The middleware sees the response of the request.
        if case .redirect(let target) = response, let error = refusal(of: target, pipeline) {
            response = .error(error)
        }
        return finish(chain, &state)
    }

    /// Lets the middleware receive the request; false if an async stage is next.
    @inline(__always)
    private mutating func receive(_ chain: Chain, _ state: inout PipelineState) -> Bool {
        while enteredCount < chain.middleware.count {
            if chain.isAsync[enteredCount] { return false }
            let step = chain.middleware.withElement(at: enteredCount) { $0.receive(&request, &state) }
            enteredCount += 1
            if case .answer(let response) = step {
                leave(with: response)
                return true
            }
        }
        phase = .verifying
        return true
    }

    /// Runs the policies and decodes the input; false if a policy that inspects the peer is next.
    @inline(__always)
    private mutating func verify(_ route: Route, _ chain: Chain, _ state: inout PipelineState) -> Bool {
        for index in verifiedCount..<chain.policies.count {
            if !chain.isLooking.isEmpty, chain.isLooking[index] {
                verifiedCount = index
                return false
            }
            let verdict = chain.policies.withElement(at: index) { $0.verify(request, &state) }
            if case .failed(let error) = verdict {
                leave(with: .error(error))
                return true
            }
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
    private mutating func finish(_ chain: Chain, _ state: inout PipelineState) -> Bool {
        guard enteredCount > 0 else { return true }
        while enteredCount > 0 {
            if chain.isAsync[enteredCount - 1] { return false }
            enteredCount -= 1
            chain.middleware.withElement(at: enteredCount) { $0.finish(request, &response, &state) }
        }
        response.check()
        return true
    }
}

extension Array {
    /// The element at an index; nil if there is none.
    fileprivate func element(at index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
