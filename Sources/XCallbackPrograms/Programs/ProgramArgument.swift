package import XCallbackPipeline
package import XCallbackURL

/// One argument of a program: always one, whatever the request is.
package protocol ProgramArgument: Sendable {
    /// The text, if no request changes it.
    var literal: [UInt8]? { get }

    /// The argument for a request.
    ///
    /// - Throws: ``CallbackError`` if the program cannot be given what the request has.
    func text(for request: Request) throws(CallbackError) -> [UInt8]
}

extension Program {
    /// How long an argument, or a variable of the environment, may be: the kernel's limit (`MAX_ARG_STRLEN`), less the
    /// NUL at its end.
    private static let textLimit = 131_071

    /// A text that a program may be given.
    ///
    /// - Throws: ``CallbackError`` about its subject if it holds a NUL or is too long.
    package static func checked(_ text: [UInt8], of subject: String) throws(CallbackError) -> [UInt8] {
        if text.contains(0) { throw CallbackError(.badParameter, "\(subject) must not hold a NUL.") }
        guard text.count <= textLimit else {
            throw CallbackError(.tooLarge, "\(subject) is too long for a program: the limit is \(textLimit) bytes.")
        }
        return text
    }
}
