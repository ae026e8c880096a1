/// What a regular expression for a capture demands, as far as it can be declared.
struct RegularExpression {
    /// Whether it matches any text, slashes too.
    let isAnything: Bool
    /// The declaration of a parameter that demands the same; nil if there is none, or if nothing is demanded.
    let declaration: String?

    /// Reads an expression; an empty one demands nothing.
    init(_ text: String) {
        isAnything = [".*", ".+", ".*?", ".+?"].contains(text)
        declaration = Self.declaration(of: text)
    }

    /// Takes a type that another router knows by its name.
    init?(type name: String) {
        guard let type = Self.types[name.lowercased()] else { return nil }
        isAnything = type == "path"
        declaration = ["path", "string"].contains(type) ? nil : type
    }

    private static let types = [
        "int": "int", "integer": "int", "long": "int", "float": "number", "number": "number", "decimal": "number",
        "bool": "bool", "boolean": "bool", "date": "date", "datetime": "date", "uuid": "uuid", "guid": "uuid",
        "str": "string", "string": "string", "alpha": "string", "path": "path",
    ]

    private static func declaration(of text: String) -> String? {
        let choices = text.split(separator: "|", omittingEmptySubsequences: false)
        if choices.count > 1, choices.allSatisfy({ !$0.isEmpty && $0.unicodeScalars.allSatisfy(isPlain) }) {
            return "{ type: enum, values: [\(choices.joined(separator: ", "))] }"
        }
        guard let characters = characters(of: text) else { return nil }
        return characters == "0-9" || characters == "1-9" ? "int" : "{ type: string, charset: \(characters) }"
    }

    /// The characters of an expression that is one set of them, once or more often: `[a-z]+`, `\d{4}`.
    private static func characters(of text: String) -> String? {
        var set = text[...]
        let quantifier = text.reversed().prefix { "+*?{},0123456789".contains($0) }
        set = set.dropLast(quantifier.count)
        switch set {
        case "\\d", "[\\d]", "[1-9]\\d", "-?\\d", "[1-9][0-9]": return "0-9"
        case "\\w", "[\\w]": return "a-zA-Z0-9_"
        default: break
        }
        guard set.hasPrefix("["), set.hasSuffix("]") else { return nil }
        let inside = set.dropFirst().dropLast()
        return !inside.isEmpty && inside.unicodeScalars.allSatisfy(isPlain) ? String(inside) : nil
    }

    /// Whether a character stands for itself in expressions, in YAML and in sets of characters.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        default: false
        }
    }
}

/// A capture that stands in brackets in the patterns of another router.
struct BracketedCapture {
    let name: String
    let expression: RegularExpression
    let isOptional: Bool

    /// Reads what stands in the brackets; nil if it is no capture.
    ///
    /// - Parameters:
    ///   - text: A name, and before or behind it a type.
    ///   - namesTypeFirst: Whether the type is the first, as in `<int:id>`.
    init?(_ text: String, namesTypeFirst: Bool) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var name = (namesTypeFirst ? parts.last : parts.first) ?? ""
        let type = parts.count == 2 ? String(namesTypeFirst ? parts[0] : parts[1]) : nil
        let end = ["...", "..", "*", "?"].first { name.hasSuffix($0) } ?? ""
        name = name.dropLast(end.count)
        guard let first = name.unicodeScalars.first, first.startsIdentifier, first != "$",
            name.unicodeScalars.allSatisfy(\.continuesIdentifier)
        else { return nil }
        self.name = String(name)
        isOptional = end == "?"
        if let type {
            expression = RegularExpression(type: type) ?? RegularExpression(type)
        } else {
            expression = RegularExpression(end.isEmpty || isOptional ? "" : ".*")
        }
    }
}
