public import XCallbackURL

/// The outcome of an action.
public enum ActionResponse<Output> {
    /// The action was done, with this output.
    case success(Output)
    /// The action was not done; the application, the daemon or the library gives the reason.
    case error(CallbackError)
    /// The user declined the action.
    case cancel
}

extension ActionResponse: Sendable where Output: Sendable {}
extension ActionResponse: Equatable where Output: Equatable {}

extension ActionResponse {
    /// Creates a response from running an action.
    ///
    ///     let response = await ActionResponse { try await Bear().run(OpenNote(), with: input) }
    ///
    /// - Parameter run: Runs the action. ``ActionCancelled`` becomes `cancel`; other errors become a ``CallbackError`` with
    ///   the side that failed. It runs off the caller's actor, unless it belongs to an actor.
    public init(_ run: @concurrent () async throws -> Output) async {
        do {
            self = .success(try await run())
        } catch is ActionCancelled {
            self = .cancel
        } catch {
            self = .error(CallbackError(of: error))
        }
    }

    /// Returns the output.
    ///
    /// - Throws: ``CallbackError``, or ``ActionCancelled``.
    public func get() throws -> Output {
        switch self {
        case .success(let output): output
        case .error(let error): throw error
        case .cancel: throw ActionCancelled()
        }
    }
}

/// The user declined an action.
///
/// Running an action throws this error, and a handler may throw it: the request then ends in `x-cancel`.
public struct ActionCancelled: Error, Hashable, Sendable {
    /// Creates the error.
    public init() {}
}

extension ActionCancelled: CustomStringConvertible {
    /// A description of the error.
    public var description: String { "the action was cancelled" }
}
