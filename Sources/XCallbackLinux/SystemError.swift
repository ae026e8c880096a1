import Glibc

/// A failed system call.
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

    /// The call and the system's message for the error.
    package var description: String { "\(call): \(systemMessage(code))" }

    /// Repeats a call while a signal interrupts it.
    ///
    /// - Parameters:
    ///   - call: The name of the call.
    ///   - body: The call; -1 means failure.
    /// - Returns: The result of the call.
    /// - Throws: ``SystemError`` if the call fails for another reason.
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
    /// A limit of threads and processes is reached, so that no more tasks can be created.
    package static func taskShortage(_ tasks: String, code: Int32) -> SystemError {
        SystemError(
            "the system allows no more \(tasks): raise TasksMax= of the unit or slice, or the user's process limit "
                + "(ulimit -u)", code: code)
    }

    /// Whether the error is a temporary shortage of resources.
    package var isShortage: Bool { [EMFILE, ENFILE, EAGAIN, ENOMEM, ENOBUFS].contains(code) }
    /// Whether the arguments of a program exceed the limit.
    package var isExcessOfArguments: Bool { code == E2BIG }
}

/// Returns the system's message for a value of `errno`.
package func systemMessage(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
