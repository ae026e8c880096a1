import Glibc

/// The reason why the service manager could not be notified.
package struct ServiceManagerError: Error, Hashable, Sendable {
    /// The address of the manager's socket, from `$NOTIFY_SOCKET`.
    package let address: String
    /// The `errno` of the failed message.
    package let code: Int32
}

extension ServiceManagerError: CustomStringConvertible {
    /// The failed operation, with the system's text for the error.
    package var description: String {
        "cannot reach the service manager at '\(address)': \(String(cString: strerror(code)))"
    }
}
