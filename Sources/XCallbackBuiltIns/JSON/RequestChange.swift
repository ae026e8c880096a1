import XCallbackConfiguration
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL
import XCallbackWire

/// A program's change to a request: other parameters, other data, or an answer.
///
/// It is written as an object with the optional members `parameters`, `data`, and `answer`. Other members are ignored,
/// so that a program can write back the request that it read, with its changes.
struct RequestChange {
    private let parameters: QueryItems?
    private let data: [JSONValue.Member]?
    private let answer: QueryItems?

    /// Reads a change; an empty text changes nothing.
    ///
    /// - Parameters:
    ///   - bytes: The output of the program.
    ///   - syntax: The syntax of the request's URL.
    ///   - maximumParameters: The maximum number of parameters of the request.
    /// - Throws: ``ProgramFailure`` if the output is invalid.
    init(parsing bytes: [UInt8], as syntax: URLSyntax, maximumParameters: Int) throws(ProgramFailure) {
        let isBlank = bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        let value: JSONValue = isBlank ? [:] : try ProgramOutput.object(in: bytes)
        parameters = try value["parameters"].map { parameters throws(ProgramFailure) in
            try Self.parameters(of: try Self.members(of: parameters, "parameters"), as: syntax)
        }
        if let parameters, parameters.count > maximumParameters {
            throw ProgramFailure("it makes more than \(maximumParameters) parameters (limits: parameters)")
        }
        data = try value["data"].map { data throws(ProgramFailure) in try Self.members(of: data, "data") }
        answer = try value["answer"].map { answer throws(ProgramFailure) in
            try ProgramOutput.items(of: try Self.members(of: answer, "answer"))
        }
    }

    /// Applies the change to a request.
    ///
    /// - Returns: The next step of the execution.
    func apply(to request: inout Request) -> MiddlewareResult {
        if let answer { return .answer(.success(answer)) }
        if let parameters { request.parameters.replace(with: Array(parameters)) }
        if let data { request.data = Dictionary(data.map { ($0.name, $0.value) }) { first, _ in first } }
        return .proceed
    }

    private static func members(
        of value: JSONValue, _ name: String
    ) throws(ProgramFailure) -> [JSONValue.Member] {
        guard case .object(let members) = value else { throw ProgramFailure("its \(name.quoted) is not an object") }
        return members
    }

    private static func parameters(
        of members: [JSONValue.Member], as syntax: URLSyntax
    ) throws(ProgramFailure) -> QueryItems {
        let items = try ProgramOutput.items(of: members)
        guard items.hasReservedName else { return items }
        let reserved = items.first { item in
            item.name.isEmpty && item.value == nil || syntax == .callback && isProtocolName(item.name.utf8.span)
        }
        if let reserved { throw ProgramFailure("no parameter can be called \(reserved.name.quoted)") }
        return items
    }
}
