import XCallbackRouter

/// A policy whose verdict depends on the request alone, so that `explain` knows it.
protocol RequestPolicy: ImmediatePolicy {
    /// Decides on a request.
    func verify(_ request: Request) -> PolicyResult
}

extension RequestPolicy {
    func verify(_ request: Request, _ host: any StageHost) -> PolicyResult { verify(request) }

    func plan(for request: Request) -> StagePlan {
        guard case .failed(let error) = verify(request) else { return StagePlan(isPassed: true) }
        return StagePlan(response: .error(error))
    }
}
