import Glibc

/// The reason why the service manager could not be told something.
package struct ServiceManagerError: Error, Hashable, Sendable {
    /// The address of the manager's socket, as `$NOTIFY_SOCKET` had it.
    package let address: String
    /// The `errno` of the message.
    package let code: Int32
}

extension ServiceManagerError: CustomStringConvertible {
    /// What failed, with the text of the system for it.
    package var description: String {
        "cannot reach the service manager at '\(address)': \(String(cString: strerror(code)))"
    }
}
