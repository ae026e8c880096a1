package import XCallbackURL

extension Pipeline {
    /// Creates a pipeline that answers every request with the same error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - rules: The rules for the URLs that receive the answer; without them, only the sender does.
    package convenience init(answeringAllWith error: CallbackError, _ rules: CallbackRules? = nil) {
        let outage = Route(
            scheme: "*", pattern: RoutePattern(capturesOf: "/*action"),
            chain: Chain(Route.Stages(handler: .immediate(Outage(error: error)))))
        do {
            let rules = rules ?? CallbackRules([], allowed: [], refusal: error)
            try self.init(schemes: [], routes: [], callbackRules: rules, fallback: outage)
        } catch {
            // Cannot fail: there are no routes that could conflict.
            preconditionFailure("without routes there are no conflicts")
        }
    }
}

/// Answers every request with an error.
private struct Outage: Handler {
    let error: CallbackError

    func handle(_ request: Request, _ host: any StageHost) -> Response { .error(error) }
}
