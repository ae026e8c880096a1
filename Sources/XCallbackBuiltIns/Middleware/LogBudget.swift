package import XCallbackPipeline

/// How many lines requests may have written to the log; its owner says it.
package struct LogBudget: StageMemory {
    /// Whether a request may have one more written.
    package var allows: @Sendable (Request) -> Bool = { _ in true }

    package init() {}
}
