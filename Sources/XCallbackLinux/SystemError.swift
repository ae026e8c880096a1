import Glibc

/// A system call that failed.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the call.
    package let call: String
    /// The value of `errno` after it.
    package let code: Int32

    /// Creates the error of a call.
    package init(_ call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The call and the system's words for the error.
    package var description: String { "\(call): \(systemMessage(code))" }

    /// Makes a call again while a signal interrupts it.
    ///
    /// - Parameters:
    ///   - call: The name of the call.
    ///   - body: The call; -1 says that it failed.
    /// - Returns: What the call returned.
    /// - Throws: ``SystemError`` if the call failed otherwise.
    package static func check(_ call: String, _ body: () -> Int32) throws(SystemError) -> Int32 {
        while true {
            let result = body()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw SystemError(call, code: code) }
        }
    }
}

extension SystemError {
    /// Whether the system was out of something that it may have again in a moment.
    package var isShortage: Bool { [EMFILE, ENFILE, EAGAIN, ENOMEM, ENOBUFS].contains(code) }
    /// Whether a program was to be given more arguments than it can take.
    package var isExcessOfArguments: Bool { code == E2BIG }
}

/// The system's words for a value of `errno`.
package func systemMessage(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
