public import FoundationEssentials
public import XCallbackClient
public import XCallbackURL

// What `localizedDescription` says of the library's errors.

extension CallbackError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}

extension ActionCancelled: LocalizedError {
    /// A sentence.
    public var errorDescription: String? { "The action was cancelled." }
}

extension ClientError: LocalizedError {
    /// The problem and the remedy.
    public var errorDescription: String? { description }
}

extension ActionURLError: LocalizedError {
    /// A sentence.
    public var errorDescription: String? { callbackError.message }
}

extension RouterError: LocalizedError {
    /// All faults.
    public var errorDescription: String? { description }
}

extension CallbackError {
    /// Creates the error for an action that was not done, with the side that failed.
    init(of error: any Error) {
        switch error {
        case let error as any CallbackErrorConvertible: self = error.callbackError
        case let error as ClientError: self.init(.unavailable, error.description, by: .connection)
        case is CancellationError: self.init(.unavailable, "The task was cancelled.", by: .cancelled)
        case let error as DecodingError:
            let name = error.context?.codingPath.map(\.stringValue).joined(separator: ".") ?? ""
            let fault = error.context?.debugDescription ?? "\(error)"
            self.init(.unreadableAnswer, "The answer cannot be read: \(name.isEmpty ? "it" : "'\(name)'") \(fault).")
        default: self.init(.internalFailure, "\(error)", by: .connection)
        }
    }
}
