import ArgumentParser
import XCallbackLinux

/// The sender of requests, in the form of `--peer` and of events: `ada`, `1000`, `1000/4711` or `/4711`.
struct PeerOption: ExpressibleByArgument {
    /// The name or number of the user; nil for any.
    let user: String?
    /// The process ID; nil for any.
    let processID: Int32?

    init?(argument: String) {
        let parts = argument.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        user = parts[0].isEmpty ? nil : String(parts[0])
        processID = parts.count > 1 ? Int32(parts[1]) : nil
        guard parts.count == 1 ? user != nil : (processID ?? -1) >= 0 else { return nil }
    }

    /// The user ID; nil for any.
    ///
    /// - Throws: `ValidationError` if the user does not exist.
    var userID: UInt32? {
        get throws {
            guard let user else { return nil }
            if let userID = UInt32(user) ?? UserDatabase.userID(named: user) { return userID }
            throw ValidationError("There is no user '\(user)'.")
        }
    }
}
