import ArgumentParser
import XCallbackLinux

/// Who has sent requests, as `--peer` names it and events show it: `ada`, `1000`, `1000/4711` or `/4711`.
struct PeerOption: ExpressibleByArgument {
    /// The name or number of the user; nil for any.
    let user: String?
    /// The process; nil for any.
    let processID: Int32?

    init?(argument: String) {
        let parts = argument.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        user = parts[0].isEmpty ? nil : String(parts[0])
        processID = parts.count > 1 ? Int32(parts[1]) : nil
        guard parts.count == 1 ? user != nil : (processID ?? -1) >= 0 else { return nil }
    }

    /// The number of the user; nil for any.
    ///
    /// - Throws: `ValidationError` if there is no such user.
    var userID: UInt32? {
        get throws {
            guard let user else { return nil }
            if let userID = UInt32(user) ?? UserDatabase.userID(named: user) { return userID }
            throw ValidationError("There is no user '\(user)'.")
        }
    }
}
