public import XCallbackClient

extension App {
    /// Runs an action and calls a function once with the response.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - input: The input.
    ///   - opener: The way to the application, such as a ``Router`` in a test; nil for that of the application.
    ///   - callback: The function.
    /// - Returns: The task that runs it, which can be cancelled.
    @_disfavoredOverload
    @discardableResult
    public func run<A: Action>(
        action: A, with input: A.Input, through opener: (any Opener)? = nil,
        then callback: @escaping @Sendable (ActionResponse<A.Output>) -> Void
    ) -> Task<Void, Never> where A.Input: Sendable, A.Output: Sendable {
        Task { callback(await ActionResponse { try await run(action, with: input, through: opener) }) }
    }

    /// Runs an action without input, like `run(action:with:through:then:)`.
    @_disfavoredOverload
    @discardableResult
    public func run<A: Action>(
        action: A, through opener: (any Opener)? = nil,
        then callback: @escaping @Sendable (ActionResponse<A.Output>) -> Void
    ) -> Task<Void, Never> where A.Input == Void, A.Output: Sendable {
        Task { callback(await ActionResponse { try await run(action, through: opener) }) }
    }

    /// Runs an action without input, like `run(action:with:through:then:)`.
    @_disfavoredOverload
    @discardableResult
    public func run<A: Action>(
        action: A, through opener: (any Opener)? = nil,
        then callback: @escaping @Sendable (ActionResponse<A.Output>) -> Void
    ) -> Task<Void, Never> where A.Input == Never, A.Output: Sendable {
        Task { callback(await ActionResponse { try await run(action, through: opener) }) }
    }

    /// Runs an action without output, like `run(action:with:through:then:)`.
    @discardableResult
    public func run<A: Action>(
        action: A, with input: A.Input, through opener: (any Opener)? = nil,
        then callback: @escaping @Sendable (ActionResponse<Void>) -> Void
    ) -> Task<Void, Never> where A.Input: Sendable, A.Output == Never {
        Task { callback(await ActionResponse<Void> { try await run(action, with: input, through: opener) }) }
    }

    /// Runs an action without input and output, like `run(action:with:through:then:)`.
    @discardableResult
    public func run<A: Action>(
        action: A, through opener: (any Opener)? = nil,
        then callback: @escaping @Sendable (ActionResponse<Void>) -> Void
    ) -> Task<Void, Never> where A.Input == Void, A.Output == Never {
        Task { callback(await ActionResponse<Void> { try await run(action, through: opener) }) }
    }

    /// Runs an action without input and output, like `run(action:with:through:then:)`.
    @discardableResult
    public func run<A: Action>(
        action: A, through opener: (any Opener)? = nil,
        then callback: @escaping @Sendable (ActionResponse<Void>) -> Void
    ) -> Task<Void, Never> where A.Input == Never, A.Output == Never {
        Task { callback(await ActionResponse<Void> { try await run(action, through: opener) }) }
    }
}
