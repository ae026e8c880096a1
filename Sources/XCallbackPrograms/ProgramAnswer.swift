import XCallbackConfiguration
package import XCallbackEventLoop
import XCallbackLinux
package import XCallbackRouter
package import XCallbackURL
package import XCallbackWire

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
        var isFailure = true
        defer { report(errors, isFailure) }
        if result.exceededOutput {
            return .error(
                CallbackError(.tooMany, "The program wrote more than \(outputLimit) bytes (limits: output)."))
        }
        isFailure = ![.exited(status: 0), .exited(status: cancelStatus)].contains(result.ending)
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

/// How a program's standard output is parsed into the items of an answer (`output`).
package enum ProgramOutput: String, CaseIterable, Sendable {
    /// One item, `result`: the complete output without one trailing line feed.
    case text
    /// An object: each member is an item.
    case json
    /// Lines `key=value`, or `key` for an item without a value.
    case lines
    /// No items.
    case none

    /// Returns the items of an output.
    ///
    /// - Throws: ``ProgramFailure`` if the output does not have the format that the route requires.
    package func items(of bytes: [UInt8]) throws(ProgramFailure) -> QueryItems {
        switch self {
        case .none: return QueryItems()
        case .json: return try Self.items(of: Self.object(in: bytes).members ?? [])
        case .text:
            let text = try Self.text(of: bytes)
            return ["result": text.utf8.last == UInt8(ascii: "\n") ? String(text.unicodeScalars.dropLast()) : text]
        case .lines:
            var items = QueryItems()
            for line in try Self.text(of: bytes).unicodeScalars.split(separator: "\n") {
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                items.append(String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
            }
            return items
        }
    }

    private static func text(of bytes: [UInt8]) throws(ProgramFailure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ProgramFailure("the output is not UTF-8")
        }
        return try checked(text)
    }

    /// Checks that a text has no NUL, which no URL can carry, and returns it.
    ///
    /// - Throws: ``ProgramFailure`` if there is one.
    package static func checked(_ text: String) throws(ProgramFailure) -> String {
        if text.utf8.contains(0) { throw ProgramFailure("the output holds a NUL") }
        return text
    }

    /// Parses an output as a JSON object.
    ///
    /// - Throws: ``ProgramFailure`` if it is not one.
    package static func object(in bytes: [UInt8]) throws(ProgramFailure) -> JSONValue {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes.span, maximumSize: .max)
        } catch {
            let blanks = " \t\r\n".utf8
            guard let first = bytes.first(where: { !blanks.contains($0) }) else {
                throw ProgramFailure("the output is empty, expected a JSON object: print '{}', or set 'output: none'")
            }
            // A value that follows could be a person's, so it is not quoted.
            let help =
                first == UInt8(ascii: "{")
                ? "" : "; it begins with other text than '{': print only the object there, and messages with '>&2'"
            throw ProgramFailure("the output is not JSON: it has \(error)\(help)")
        }
        guard case .object = value else {
            throw ProgramFailure("the output is JSON, but not an object such as {\"result\": 1}")
        }
        return value
    }

    /// Returns the members of an object as items: an array repeats the name, the empty array is the name alone, and
    /// null is absent.
    ///
    /// - Throws: ``ProgramFailure`` if a member cannot be an item.
    package static func items(of members: [JSONValue.Member]) throws(ProgramFailure) -> QueryItems {
        var items = QueryItems()
        for member in members { try append(member, to: &items) }
        return items
    }

    private static func append(_ member: JSONValue.Member, to items: inout QueryItems) throws(ProgramFailure) {
        let name = try checked(member.name)
        switch member.value {
        case .null: break
        case .array(let elements):
            if elements.isEmpty { items.append(name, nil) }
            for element in elements {
                // Among other elements, null is a name alone. On its own, it would be read back as the empty array.
                let isNameAlone = element == .null && elements.count > 1
                items.append(name, isNameAlone ? nil : try text(of: element, in: name))
            }
        default: items.append(name, try text(of: member.value, in: name))
        }
    }

    /// Returns the text of a scalar value.
    ///
    /// - Throws: ``ProgramFailure`` naming the member if the value is an array or an object.
    private static func text(of value: JSONValue, in name: String) throws(ProgramFailure) -> String {
        switch value {
        case .bool(let isTrue): return isTrue ? "true" : "false"
        case .number(let number): return number.text
        case .string(let text): return try checked(text)
        case .null, .array, .object:
            throw ProgramFailure(
                "the member \(name.quoted) of the output is not a text, a number, true, false or a list of these: "
                    + "write it as a text, as jq's 'tostring' does")
        }
    }
}

/// The reason why a program did not behave as agreed; the client learns only that it failed.
package struct ProgramFailure: Error, CustomStringConvertible {
    /// The reason.
    package let description: String

    /// Creates a failure with its reason.
    package init(_ description: String) {
        self.description = description
    }
}
