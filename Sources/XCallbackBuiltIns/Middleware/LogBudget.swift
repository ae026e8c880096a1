package import XCallbackPipeline

/// The limit of log lines for requests; set by its owner.
package struct LogBudget: StageMemory {
    /// Whether a request can write another line.
    package var allows: @Sendable (Request) -> Bool = { _ in true }

    package init() {}
}
