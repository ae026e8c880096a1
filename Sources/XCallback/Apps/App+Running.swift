import XCallbackClient
import XCallbackURL

extension App {
    /// Runs an action.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - input: What it takes.
    ///   - timeout: How long to wait for the answer, if not as long as the application says.
    /// - Returns: What it gives.
    /// - Throws: ``CallbackError`` if the answer is an error, or does not come in time (504); ``ActionCancelled`` if
    ///   the user did not want it; `EncodingError` for an input that cannot be written, `DecodingError` for an output
    ///   that cannot be read; `CancellationError` when the task is cancelled; and what the ``Opener`` throws.
    public func run<A: Action>(
        _ action: A, with input: A.Input, timeout: Duration? = nil
    ) async throws -> A.Output {
        let items = try await perform(action, A.items(of: input, QueryEncoder(style: style)), timeout)
        return try A.output(in: items, outputDecoder)
    }

    /// Runs an action that takes nothing, as `run(_:with:timeout:)` does.
    public func run<A: Action>(_ action: A, timeout: Duration? = nil) async throws -> A.Output
    where A.Input == Void {
        try A.output(in: await perform(action, QueryItems(), timeout), outputDecoder)
    }

    /// Runs an action that takes nothing, as `run(_:with:timeout:)` does.
    public func run<A: Action>(_ action: A, timeout: Duration? = nil) async throws -> A.Output
    where A.Input == Never {
        try A.output(in: await perform(action, QueryItems(), timeout), outputDecoder)
    }

    /// Runs an action that gives nothing, as `run(_:with:timeout:)` does.
    public func run<A: Action>(_ action: A, with input: A.Input, timeout: Duration? = nil) async throws
    where A.Output == Never {
        _ = try await perform(action, A.items(of: input, QueryEncoder(style: style)), timeout)
    }

    /// Runs an action that takes and gives nothing, as `run(_:with:timeout:)` does.
    public func run<A: Action>(_ action: A, timeout: Duration? = nil) async throws
    where A.Input == Void, A.Output == Never {
        _ = try await perform(action, QueryItems(), timeout)
    }

    /// Runs an action that takes and gives nothing, as `run(_:with:timeout:)` does.
    public func run<A: Action>(_ action: A, timeout: Duration? = nil) async throws
    where A.Input == Never, A.Output == Never {
        _ = try await perform(action, QueryItems(), timeout)
    }

    /// Reads what a response holds, in which nothing is encoded.
    private var outputDecoder: QueryDecoder { QueryDecoder(style: style, splitsAtCommas: false) }

    /// Opens the URL of an action; returns what it gives.
    private func perform(_ action: some Action, _ input: QueryItems, _ timeout: Duration?) async throws -> QueryItems {
        let url = try url(for: action, input, QueryItems())
        let opener = opener
        switch try await withTimeout(timeout ?? self.timeout, { try await opener.open(url) }) {
        case .success(let items): return items
        case .error(let error): throw error
        case .cancel: throw ActionCancelled()
        case .redirect: throw CallbackError(.unavailable, "Another application was to answer, and none was opened.")
        }
    }
}
