import XCallbackPipeline

/// A policy of either kind.
enum PolicyStage: Sendable {
    case immediate(any Policy)
    case looking(any PeerPolicy)
    case secret(any SecretPolicy)
    /// It asks once all the others have verified and the input is decoded.
    case asynchronous(any AsyncPolicy)
}
