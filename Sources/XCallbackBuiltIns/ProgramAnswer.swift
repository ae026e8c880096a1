import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL

/// What the end of a program means for the one who asked.
struct ProgramAnswer: Sendable {
    /// How standard output becomes items.
    let output: ProgramOutput

    /// The exit status of a program that was cancelled, as by Ctrl-C.
    private static let defaultCancelStatus = 130

    private let cancelStatus: Int32
    private let outputLimit: Int
    private let log: ProgramLog

    init(_ source: StageSource, isDetached: Bool) {
        output = source.keys?.choice("output", of: ProgramOutput.self) ?? (isDetached ? .none : .text)
        cancelStatus = Int32(source.keys?.integer("cancel-status", in: 1...255) ?? Self.defaultCancelStatus)
        outputLimit = source.surroundings.limits.output
        log = ProgramLog(source)
        guard isDetached else { return }
        for key in ["cancel-status", "output"] {
            guard let place = source.keys?.keyPlace(key) else { continue }
            source.faults.report("nobody waits for a detached program: leave \(key.quoted) out", at: place)
        }
    }

    /// The response to a request whose program has ended.
    ///
    /// - Throws: ``ProgramFailure`` if it was killed, or its output is not what the route says.
    func response(to result: ChildResult) throws(ProgramFailure) -> Response {
        var errors = result.errors[...]
        defer { log.errors(errors, isFailure: result.ending != .exited(status: 0)) }
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

extension CallbackError {
    /// Takes the error off the last line of standard error, if that is an object with a code and a message.
    init?(takingLastLineOf errors: inout ArraySlice<UInt8>) {
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
