public import XCallbackPipeline

/// A policy that is a function.
///
///     let fromMail = Check { request in
///         request.source == "mail" ? .verified : .failed(CallbackError(.refused, "Only for mail."))
///     }
///     router.route("/messages/:id", policies: [fromMail]) { (key: MessageKey) in try await store.message(key.id) }
public struct Check: Policy {
    private let verdict: @Sendable (Request) -> Verdict

    /// Creates a policy.
    ///
    /// - Parameter verdict: Decides on a request, and changes nothing.
    public init(_ verdict: @escaping @Sendable (Request) -> Verdict) {
        self.verdict = verdict
    }

    /// What the function says.
    public func verify(_ request: Request, _ state: inout PipelineState) -> Verdict {
        verdict(request)
    }
}
