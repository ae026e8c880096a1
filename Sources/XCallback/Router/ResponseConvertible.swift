public import XCallbackPipeline

/// What a function of a route may give in the place of a ``Response``: a type of one's own that says what the request
/// ends in.
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
    /// What the request ends in.
    var response: Response { get }
}

extension Response: ResponseConvertible {
    /// The response itself.
    public var response: Response { self }
}
