import Glibc
import XCallbackPipeline

extension Peer {
    /// The program itself.
    static let thisProcess = Peer(userID: getuid(), groupID: getgid(), processID: getpid())
}
