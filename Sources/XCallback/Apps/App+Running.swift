public import XCallbackClient
import XCallbackURL

extension App {
    /// Runs an action.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - input: The input.
    ///   - timeout: How long to wait for the answer; nil for the timeout of the application.
    ///   - opener: The way to the application, such as a ``Router`` in a test; nil for that of the application.
    /// - Returns: The output.
    /// - Throws: ``CallbackError`` if the answer is an error or does not arrive in time (504), with the side that failed;
    ///   ``ActionCancelled`` if the user declined; `EncodingError` for an input that cannot be encoded; `DecodingError` for
    ///   an output that cannot be decoded; `CancellationError` when the task is cancelled; and the errors of the
    ///   ``Opener``, such as ``ClientError``.
    public func run<A: Action>(
        _ action: A, with input: A.Input, timeout: Duration? = nil, through opener: (any Opener)? = nil
    ) async throws -> A.Output {
        let items = try await perform(action, A.items(of: input, QueryEncoder(style: style)), timeout, opener)
        return try A.output(in: items, outputDecoder)
    }

    /// Runs an action without input, like `run(_:with:timeout:through:)`.
    public func run<A: Action>(
        _ action: A, timeout: Duration? = nil, through opener: (any Opener)? = nil
    ) async throws -> A.Output where A.Input == Void {
        try A.output(in: await perform(action, QueryItems(), timeout, opener), outputDecoder)
    }

    /// Runs an action without input, like `run(_:with:timeout:through:)`.
    public func run<A: Action>(
        _ action: A, timeout: Duration? = nil, through opener: (any Opener)? = nil
    ) async throws -> A.Output where A.Input == Never {
        try A.output(in: await perform(action, QueryItems(), timeout, opener), outputDecoder)
    }

    /// Runs an action without output, like `run(_:with:timeout:through:)`.
    public func run<A: Action>(
        _ action: A, with input: A.Input, timeout: Duration? = nil, through opener: (any Opener)? = nil
    ) async throws where A.Output == Never {
        _ = try await perform(action, A.items(of: input, QueryEncoder(style: style)), timeout, opener)
    }

    /// Runs an action without input and output, like `run(_:with:timeout:through:)`.
    public func run<A: Action>(
        _ action: A, timeout: Duration? = nil, through opener: (any Opener)? = nil
    ) async throws where A.Input == Void, A.Output == Never {
        _ = try await perform(action, QueryItems(), timeout, opener)
    }

    /// Runs an action without input and output, like `run(_:with:timeout:through:)`.
    public func run<A: Action>(
        _ action: A, timeout: Duration? = nil, through opener: (any Opener)? = nil
    ) async throws where A.Input == Never, A.Output == Never {
        _ = try await perform(action, QueryItems(), timeout, opener)
    }

    /// Decodes the items of a response, which are not percent-encoded.
    private var outputDecoder: QueryDecoder { QueryDecoder(style: style, splitsAtCommas: false) }

    /// Opens the URL of an action, and returns its output.
    private func perform(
        _ action: some Action, _ input: QueryItems, _ timeout: Duration?, _ opener: (any Opener)?
    ) async throws -> QueryItems {
        let url = try url(for: action, input, QueryItems())
        let opener = opener ?? self.opener
        switch try await withTimeout(timeout ?? self.timeout, { try await opener.open(url) }) {
        case .success(let items): return items
        case .error(let error): throw error
        case .cancel: throw ActionCancelled()
        case .redirect:
            throw CallbackError(
                .unavailable, "Another application was to answer, and none was opened.", by: .connection)
        }
    }
}
