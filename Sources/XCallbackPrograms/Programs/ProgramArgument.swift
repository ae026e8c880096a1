package import XCallbackPipeline
package import XCallbackURL

/// An argument of a program: always exactly one, for any request.
package protocol ProgramArgument: Sendable {
    /// The text, if it is the same for all requests.
    var literal: [UInt8]? { get }

    /// Returns the argument for a request.
    ///
    /// - Throws: ``CallbackError`` if the value of the request cannot be an argument.
    func text(for request: Request) throws(CallbackError) -> [UInt8]
}

extension Program {
    /// The maximum length of an argument or an environment variable: the kernel's limit (`MAX_ARG_STRLEN`) without the
    /// terminating NUL.
    private static let textLimit = 131_071

    /// Checks that a text can be passed to a program, and returns it.
    ///
    /// - Throws: ``CallbackError`` naming the subject if the text contains a NUL or is too long.
    package static func checked(_ text: [UInt8], of subject: String) throws(CallbackError) -> [UInt8] {
        if text.contains(0) { throw CallbackError(.badParameter, "\(subject) must not hold a NUL.") }
        guard text.count <= textLimit else {
            throw CallbackError(.tooLarge, "\(subject) is too long for a program: the limit is \(textLimit) bytes.")
        }
        return text
    }
}
