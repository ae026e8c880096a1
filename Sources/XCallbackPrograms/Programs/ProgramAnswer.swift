package import XCallbackEventLoop
package import XCallbackPipeline
package import XCallbackURL
import XCallbackWire

/// Translates the end of a program into a response.
package struct ProgramAnswer: Sendable {
    /// The exit status that means cancelled, as after Ctrl-C.
    package static let defaultCancelStatus = 130

    /// How standard output is parsed into items.
    package let output: ProgramOutput
    private let cancelStatus: Int32
    private let outputLimit: Int

    /// Creates the translation.
    ///
    /// - Parameters:
    ///   - output: How standard output is parsed into items.
    ///   - cancelStatus: The exit status that means cancelled.
    ///   - outputLimit: The maximum number of output bytes.
    package init(_ output: ProgramOutput, cancelStatus: Int = defaultCancelStatus, outputLimit: Int) {
        self.output = output
        self.cancelStatus = Int32(cancelStatus)
        self.outputLimit = outputLimit
    }

    /// Makes the response to a request after its program has ended.
    ///
    /// - Parameters:
    ///   - result: How the program ended.
    ///   - report: Called with standard error, and whether the program failed.
    /// - Returns: The response.
    /// - Throws: ``ProgramFailure`` if the program was killed or its output is invalid.
    package func response(
        to result: ChildResult, report: (_ errors: ArraySlice<UInt8>, _ isFailure: Bool) -> Void
    ) throws(ProgramFailure) -> Response {
        var errors = result.errors[...]
        defer { report(errors, isFailure(result)) }
        if result.exceededOutput {
            return .error(
                CallbackError(.tooMany, "The program wrote more than \(outputLimit) bytes (limits: output)."))
        }
        switch result.ending {
        case .exited(status: 0): return .success(try output.items(of: result.output))
        case .exited(cancelStatus): return .cancel
        case .exited(let status):
            if let error = CallbackError(takingLastLineOf: &errors) { return .error(error) }
            return .error(
                CallbackError(CallbackError.Code(rawValue: Int(status)), "The program ended with status \(status)."))
        case .killed(let signal): throw ProgramFailure("signal \(signal) ended the program")
        }
    }
}

extension ProgramAnswer {
    private func isFailure(_ result: ChildResult) -> Bool {
        switch result.ending {
        case .exited(status: 0), .exited(cancelStatus): result.exceededOutput
        case .exited, .killed: true
        }
    }
}

extension CallbackError {
    /// Removes the last line of standard error and creates the error from it, if the line is an object with a code and
    /// a message.
    package init?(takingLastLineOf errors: inout ArraySlice<UInt8>) {
        var text = errors
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        let start = (text.lastIndex(of: UInt8(ascii: "\n")) ?? text.startIndex - 1) + 1
        let line = Array(text[start...])
        guard let value = try? JSONValue(parsing: line.span, maximumSize: line.count),
            case .number(let number)? = value["code"], let code = number.integer, code > 0, code <= Int32.max,
            case .string(let message)? = value["message"], !message.utf8.contains(0)
        else { return nil }
        self.init(Code(rawValue: code), message)
        errors = text[..<start]
    }
}
