public import XCallbackURL

/// What has become of an action that was run.
public enum ActionResponse<Output> {
    /// It was done, and has given this.
    case success(Output)
    /// It was not done; the application, the daemon or the library says why.
    case error(CallbackError)
    /// The user did not want it to be done.
    case cancel
}

extension ActionResponse: Sendable where Output: Sendable {}
extension ActionResponse: Equatable where Output: Equatable {}

extension ActionResponse {
    /// Creates a response from what running an action comes to.
    ///
    ///     let response = await ActionResponse { try await Bear().run(OpenNote(), with: input) }
    ///
    /// - Parameter run: Runs the action. ``ActionCancelled`` is a cancel; an error that says nothing of itself to
    ///   clients has code 500 and its description. It runs off the caller's actor, unless it belongs to an actor.
    public init(_ run: @concurrent () async throws -> Output) async {
        do {
            self = .success(try await run())
        } catch is ActionCancelled {
            self = .cancel
        } catch let error as any CallbackErrorConvertible {
            self = .error(error.callbackError)
        } catch {
            self = .error(CallbackError(.internalFailure, "\(error)"))
        }
    }

    /// The output.
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

/// The user did not want an action to be done.
///
/// Running an action throws it, and a handler may: the request then ends in `x-cancel`.
public struct ActionCancelled: Error, Hashable, Sendable {
    /// Creates the error.
    public init() {}
}

extension ActionCancelled: CustomStringConvertible {
    /// What has happened.
    public var description: String { "the action was cancelled" }
}
