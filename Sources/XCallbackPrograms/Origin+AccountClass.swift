package import XCallbackEventLoop
package import XCallbackPipeline

extension Origin {
    /// The class of account toward which requests of this origin count.
    package var accountClass: AccountClass {
        switch self {
        case .desktop: .desktop
        case .agent: .agent
        case .socket, .internal: .socket
        }
    }
}
