import XCallbackPipeline

/// A policy of either kind.
enum PolicyStage: Sendable {
    case immediate(any Policy)
    case looking(any PeerPolicy)
    case secret(any SecretPolicy)
    /// An async policy, which runs after all others have accepted and the input is decoded.
    case asynchronous(any AsyncPolicy)
}
