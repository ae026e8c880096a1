package import XCallbackJSON
package import XCallbackURL

/// How the standard output of a program becomes the items of an answer (`output`).
package enum ProgramOutput: String, CaseIterable, Sendable {
    /// One item, `result`: all of it, less one line feed at its end.
    case text
    /// An object: each member is an item.
    case json
    /// Lines `key=value`, or `key` for an item without a value.
    case lines
    /// No items.
    case none

    /// The items of an output.
    ///
    /// - Throws: ``ProgramFailure`` if it is not what the route says.
    package func items(of bytes: [UInt8]) throws(ProgramFailure) -> QueryItems {
        switch self {
        case .none: return QueryItems()
        case .json: return try Self.members(of: bytes)
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

    /// No URL can carry a NUL.
    ///
    /// - Throws: ``ProgramFailure`` if there is one.
    package static func checked(_ text: String) throws(ProgramFailure) -> String {
        if text.utf8.contains(0) { throw ProgramFailure("the output holds a NUL") }
        return text
    }

    private static func members(of bytes: [UInt8]) throws(ProgramFailure) -> QueryItems {
        guard case .object(let members) = try object(in: bytes) else { return QueryItems() }
        return try items(of: members)
    }

    /// The JSON object that an output is.
    ///
    /// - Throws: ``ProgramFailure`` if it is none.
    package static func object(in bytes: [UInt8]) throws(ProgramFailure) -> JSONValue {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes.span, maximumSize: .max)
        } catch {
            throw ProgramFailure("the output is not JSON: it has \(error)")
        }
        guard case .object = value else { throw ProgramFailure("the output is JSON, but not an object") }
        return value
    }

    /// The items that the members of an object are: a list is repeats, the empty list the name alone, null is absent.
    ///
    /// - Throws: ``ProgramFailure`` if one cannot be an item.
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
                // Among others a null is a name alone. By itself it would be read back as the empty list.
                let isNameAlone = element == .null && elements.count > 1
                items.append(name, isNameAlone ? nil : try text(of: element))
            }
        default: items.append(name, try text(of: member.value))
        }
    }

    /// The text of a value that is not made of others.
    ///
    /// - Throws: ``ProgramFailure`` if it is.
    package static func text(of value: JSONValue) throws(ProgramFailure) -> String {
        switch value {
        case .bool(let isTrue): return isTrue ? "true" : "false"
        case .number(let number): return number.text
        case .string(let text): return try checked(text)
        case .null, .array, .object:
            throw ProgramFailure("a member of the output is not a text, a number, true, false or a list of such")
        }
    }
}

/// Why a program has not done what was agreed on; the client is told only that it failed.
package struct ProgramFailure: Error, CustomStringConvertible {
    /// What went wrong.
    package let description: String

    /// Creates the reason.
    package init(_ description: String) {
        self.description = description
    }
}
