import Glibc

/// The reason why a test could not continue.
package struct TestFailure: Error, CustomStringConvertible {
    /// The problem, for people.
    package let description: String

    /// Creates a failure.
    package init(_ description: String) {
        self.description = description
    }

    /// Creates the failure of a system call.
    ///
    /// - Parameters:
    ///   - call: The name of the call.
    ///   - code: The value of `errno`.
    package init(_ call: String, code: Int32) {
        self.init("\(call): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")")
    }

    /// Creates the failure of a read.
    ///
    /// The error of a test names only the test, so it says what was asked.
    ///
    /// - Parameters:
    ///   - code: The value of `errno`.
    ///   - question: What was sent last.
    package init(reading code: Int32, after question: String) {
        guard code == EAGAIN else {
            self.init("read after '\(question)'", code: code)
            return
        }
        self.init("nothing came in time after '\(question)'")
    }

    /// Returns the result of a call if it is not negative, and throws otherwise.
    package static func check(_ call: String, _ result: Int32) throws -> Int32 {
        let code = errno
        guard result >= 0 else { throw TestFailure(call, code: code) }
        return result
    }
}
