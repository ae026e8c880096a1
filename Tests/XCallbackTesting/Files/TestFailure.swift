import Glibc

/// Why a test could not go on.
package struct TestFailure: Error, CustomStringConvertible {
    /// What went wrong, for a person.
    package let description: String

    /// Creates a failure.
    package init(_ description: String) {
        self.description = description
    }

    /// Creates the failure of a system call.
    ///
    /// - Parameters:
    ///   - call: What was tried.
    ///   - code: The value of `errno` after it.
    package init(_ call: String, code: Int32) {
        self.init("\(call): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")")
    }

    /// Passes the result of a call on if it is not negative.
    package static func check(_ call: String, _ result: Int32) throws -> Int32 {
        let code = errno
        guard result >= 0 else { throw TestFailure(call, code: code) }
        return result
    }
}
