import XCallbackURL

extension Walk {
    /// Goes on until the request has its response or a stage has to wait.
    ///
    /// - Parameters:
    ///   - pipeline: The pipeline in which the walk began.
    ///   - state: What stages remember between requests.
    /// - Returns: Whether ``response`` is what the request ends in; if not, ``awaitedStage`` is next.
    package mutating func advance(in pipeline: Pipeline, _ state: inout PipelineState) -> Bool {
        while true {
            switch phase {
            case .matching: match(pipeline)
            case .receiving: guard receive(&state) else { return false }
            case .verifying: verify(&state)
            case .asking: guard isDoneAsking() else { return false }
            case .handling: guard handle(&state) else { return false }
            case .finishing:
                guard finish(&state) else { return false }
                guard case .redirect(let target) = response else { return true }
                redirect(to: target, pipeline)
                if case .finishing = phase { return true }
            }
        }
    }

    /// The stage that has to wait, with what it is given; nil where none is next.
    package var awaitedStage: AwaitedStage? {
        guard let stages = request.matchedRoute?.stages else { return nil }
        switch phase {
        case .receiving:
            guard case .awaited(let middleware) = stages.middleware[index] else { return nil }
            return .receive(middleware, request)
        case .asking: return .verify(stages.awaitedPolicies[index], request)
        case .handling:
            guard case .awaited(let handler) = stages.handler else { return nil }
            return .handle(handler, request)
        case .finishing:
            guard case .awaited(let middleware) = stages.middleware[index - 1] else { return nil }
            return .finish(middleware, request, response)
        case .matching, .verifying: return nil
        }
    }

    /// Takes what the awaited stage came to; then ``advance(in:_:)`` goes on.
    package mutating func resume(with outcome: AwaitedStage.Outcome) {
        switch outcome {
        case .received(let changed, let step):
            request.parameters = changed.parameters
            request.data = changed.data
            index += 1
            if case .answer(let response) = step { leave(with: response) }
        case .verified(let response):
            index += 1
            if let response { leave(with: response) }
        case .handled(let response): leave(with: response)
        case .finished(let response):
            index -= 1
            self.response = response
            self.response.check()
        }
    }

    /// Ends the walk while a stage waits: the middleware that does not wait sees the response, nothing else runs.
    ///
    /// - Parameters:
    ///   - response: What the request ends in, for example a time-out.
    ///   - state: What stages remember between requests.
    package mutating func interrupt(with response: Response, _ state: inout PipelineState) {
        if case .finishing = phase { self.response = response } else { leave(with: response) }
        while !finish(&state) { index -= 1 }
    }

    /// Lets the middleware receive the request; false if one has to wait.
    private mutating func receive(_ state: inout PipelineState) -> Bool {
        guard let route = request.matchedRoute else { return true }
        while index < route.stages.middleware.count {
            guard case .immediate(let middleware) = route.stages.middleware[index] else { return false }
            index += 1
            if case .answer(let response) = middleware.receive(&request, &state) {
                leave(with: response)
                return true
            }
        }
        phase = .verifying
        return true
    }

    private mutating func verify(_ state: inout PipelineState) {
        guard let route = request.matchedRoute else { return }
        for policy in route.stages.policies {
            if case .failed(let error) = policy.verify(request, &state) { return leave(with: .error(error)) }
        }
        if !route.stages.input.isEmpty {
            do throws(CallbackError) {
                try route.stages.input.decode(&request.parameters, plusIsSpace: route.readsForms)
            } catch {
                return leave(with: .error(error))
            }
        }
        index = 0
        phase = .asking
    }

    private mutating func isDoneAsking() -> Bool {
        guard let route = request.matchedRoute, index == route.stages.awaitedPolicies.count else { return false }
        phase = .handling
        return true
    }

    /// Lets the handler do the action; false if it has to wait.
    private mutating func handle(_ state: inout PipelineState) -> Bool {
        guard let route = request.matchedRoute, case .immediate(let handler) = route.stages.handler else { return false }
        leave(with: handler.handle(request, &state))
        return true
    }

    /// Turns round: the middleware that has received the request sees the response.
    private mutating func leave(with response: Response) {
        self.response = response
        self.response.check()
        hasResponse = true
        // Before the policies the index counts the middleware that was entered; after them all of it was.
        if case .receiving = phase {} else { index = request.matchedRoute?.stages.middleware.count ?? 0 }
        phase = .finishing
    }

    /// Shows the response to the middleware; false if one has to wait.
    private mutating func finish(_ state: inout PipelineState) -> Bool {
        guard let route = request.matchedRoute, index > 0 else { return true }
        while index > 0 {
            guard case .immediate(let middleware) = route.stages.middleware[index - 1] else { return false }
            index -= 1
            middleware.finish(request, &response, &state)
        }
        response.check()
        return true
    }
}
