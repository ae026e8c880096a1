package import XCallbackPipeline
package import XCallbackURL

/// A text of a program: an argument, which is always exactly one, or the value of a variable.
package struct ProgramText: Sendable {
    /// The text, if it is the same for all requests.
    package let literal: [UInt8]?
    /// Returns the text for a request; nil if the request does not have it.
    ///
    /// Throws a ``CallbackError`` if the value of the request cannot be such a text.
    package let text: @Sendable (Request) throws(CallbackError) -> [UInt8]?

    /// Creates a text.
    package init(
        literal: [UInt8]? = nil, text: @escaping @Sendable (Request) throws(CallbackError) -> [UInt8]?
    ) {
        self.literal = literal
        self.text = text
    }
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
