import XCallbackRouting
package import XCallbackURL

extension Pipeline {
    /// Creates a pipeline that answers every request with the same error, and only to the sender.
    ///
    /// - Parameter error: The error.
    package convenience init(answeringAllWith error: CallbackError) {
        self.init(answeringAllWith: error, CallbackRules([], allowed: [], refusal: error))
    }

    /// Creates a pipeline that answers every request with the same error, to the callbacks that the rules allow.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - rules: The rules for the URLs that receive the answer.
    package convenience init(answeringAllWith error: CallbackError, _ rules: CallbackRules) {
        let outage = Route(
            scheme: "*", pattern: RoutePattern(capturesOf: "/*action"),
            stages: Route.Stages(handler: .immediate(Outage(error: error))))
        do {
            try self.init(
                schemes: [], routes: [], callbackRules: rules, fallback: outage)
        } catch {
            // Cannot fail: there are no routes that could conflict.
            preconditionFailure("without routes there are no conflicts")
        }
    }
}

/// Answers every request with an error.
private struct Outage: Handler {
    let error: CallbackError

    func handle(_ request: Request, _ state: inout PipelineState) -> Response { .error(error) }
}
