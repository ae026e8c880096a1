public import XCallbackPipeline

/// A type that a route's function can return instead of a ``Response``: it describes the outcome of the request.
///
///     enum Saving: ResponseConvertible {
///         case saved(Int), declined
///         var response: Response {
///             switch self {
///             case .saved(let id): .success(["id": "\(id)"])
///             case .declined: .cancel
///             }
///         }
///     }
public protocol ResponseConvertible {
    /// The outcome of the request.
    var response: Response { get }
}

extension Response: ResponseConvertible {
    /// The response itself.
    public var response: Response { self }
}
