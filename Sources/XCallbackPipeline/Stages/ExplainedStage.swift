/// A stage that can tell what it would do, for `explain`.
package protocol ExplainedStage: Sendable {
    /// Tells what the stage would do to a request.
    ///
    /// It starts nothing, asks nobody, counts nothing, and compares no secret.
    func plan(for request: Request) -> StagePlan
}

/// What a stage would do to a request.
package struct StagePlan: Sendable {
    /// A few words for people; empty if the name of the stage says it all.
    package var text = ""
    /// Whether only readers who may see the configuration get the text.
    package var isPrivate = false
    /// The program that would run, with its arguments; only for readers who may see the configuration.
    package var command: [String]?
    /// The response, if the stage certainly ends the request with it.
    package var response: Response?

    /// Creates a plan.
    package init(_ text: String = "", isPrivate: Bool = false, command: [String]? = nil, response: Response? = nil) {
        self.text = text
        self.isPrivate = isPrivate
        self.command = command
        self.response = response
    }
}
