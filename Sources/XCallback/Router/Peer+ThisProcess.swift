import Glibc
import XCallbackPipeline

extension Peer {
    /// This process.
    static let thisProcess = Peer(userID: getuid(), groupID: getgid(), processID: getpid())
}
