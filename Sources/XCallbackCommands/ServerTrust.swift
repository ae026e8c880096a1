/// Who may serve the socket: whoever else put one there would see the URLs and make up the answers.
package enum ServerTrust {
    /// The system user that runs the system's daemon.
    static let serviceUserName = "xcallback"

    /// Whether the process behind a socket is to be trusted.
    ///
    /// - Parameters:
    ///   - server: Its user.
    ///   - caller: The user that runs the command.
    ///   - service: The user of the system's daemon, if there is one; looked up only if it matters.
    /// - Returns: Whether it is the caller's own, root's or the service's.
    package static func isTrusted(_ server: UInt32, caller: UInt32, service: @autoclosure () -> UInt32?) -> Bool {
        server == caller || server == 0 || server == service()
    }
}
