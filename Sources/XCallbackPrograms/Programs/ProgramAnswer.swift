package import XCallbackEventLoop
import XCallbackJSON
package import XCallbackPipeline
package import XCallbackURL

/// What the end of a program means for the one who asked.
package struct ProgramAnswer: Sendable {
    /// The exit status of a program that was cancelled, as by Ctrl-C.
    package static let defaultCancelStatus = 130

    /// How standard output becomes items.
    package let output: ProgramOutput
    private let cancelStatus: Int32
    private let outputLimit: Int

    /// Says what the end of a program means.
    ///
    /// - Parameters:
    ///   - output: How standard output becomes items.
    ///   - cancelStatus: The exit status of a program that was cancelled.
    ///   - outputLimit: How many bytes of output it may have written.
    package init(_ output: ProgramOutput, cancelStatus: Int = defaultCancelStatus, outputLimit: Int) {
        self.output = output
        self.cancelStatus = Int32(cancelStatus)
        self.outputLimit = outputLimit
    }

    /// Makes the response to a request whose program has ended.
    ///
    /// - Parameters:
    ///   - result: How it has ended.
    ///   - report: Called with what it has written to standard error, and whether it has failed.
    /// - Returns: The response.
    /// - Throws: ``ProgramFailure`` if it was killed, or its output is not what was agreed on.
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
    /// Takes the error off the last line of standard error, if that is an object with a code and a message.
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
