extension VarlinkInterface: CustomStringConvertible {
    /// The description as sent by a service: all members with their comments.
    package var description: String {
        var text = lines(comment, indent: "") + "interface \(name)\n"
        for member in members { text += "\n\(lines(member.comment, indent: ""))\(member.text)\n" }
        return text
    }
}

extension VarlinkInterface.Member {
    fileprivate var text: String {
        switch kind {
        case .type(let type): adding(type, to: "type \(name) ")
        case .error(let fields): adding(.structure(fields), to: "error \(name) ")
        case .method(let input, let output):
            adding(.structure(output), to: adding(.structure(input), to: "method \(name)") + " -> ")
        }
    }

    private func adding(_ type: VarlinkType, to start: String) -> String {
        let lastLine = start.split(separator: "\n").last ?? ""
        return start + type.text(after: lastLine.count)
    }
}

extension VarlinkType {
    private static let lineLength = 80

    /// Returns the written form of the type, on one line if that is short and there are no comments.
    fileprivate func text(after column: Int, indent: String = "") -> String {
        switch self {
        case .bool: return "bool"
        case .int: return "int"
        case .float: return "float"
        case .string: return "string"
        case .object: return "object"
        case .any: return "any"
        case .named(let name): return name
        case .array(let element): return "[]" + element.text(after: column + 2, indent: indent)
        case .map(let element): return "[string]" + element.text(after: column + 8, indent: indent)
        case .optional(let type): return "?" + type.text(after: column + 1, indent: indent)
        case .structure(let fields):
            return list(after: column, indent, fields.map(\.comment)) { index, column, indent in
                let field = fields[index]
                return "\(field.name): \(field.type.text(after: column + field.name.count + 2, indent: indent))"
            }
        case .enumeration(let choices):
            return list(after: column, indent, choices.map(\.comment)) { index, _, _ in choices[index].name }
        }
    }

    private func list(
        after column: Int, _ indent: String, _ comments: [[String]], _ part: (Int, Int, String) -> String
    ) -> String {
        let line = "(" + comments.indices.map { part($0, 0, "") }.joined(separator: ", ") + ")"
        let isShort = !line.contains("\n") && column + line.count <= Self.lineLength
        if isShort, comments.allSatisfy(\.isEmpty) { return line }
        let inner = indent + "  "
        let parts = comments.indices.map { index in
            lines(comments[index], indent: inner) + inner + part(index, inner.count, inner)
        }
        return "(\n" + parts.joined(separator: ",\n") + "\n\(indent))"
    }
}

/// The lines of a comment.
private func lines(_ comment: [String], indent: String) -> String {
    comment.map { $0.isEmpty ? "\(indent)#\n" : "\(indent)# \($0)\n" }.joined()
}
