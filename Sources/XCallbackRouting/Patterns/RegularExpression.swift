/// The constraint of a regular expression for a capture, as far as a declaration can express it.
struct RegularExpression {
    /// Whether it matches any text, including slashes.
    let isAnything: Bool
    /// The equivalent declaration of a parameter; nil if there is none, or without a constraint.
    let declaration: String?
    /// The expression, if no declaration is equivalent; nil for most.
    let lost: String?

    /// Reads an expression; an empty one has no constraint.
    init(_ text: String) {
        isAnything = [".*", ".+", ".*?", ".+?"].contains(text)
        declaration = Self.declaration(of: text)
        lost = isAnything || declaration != nil || Self.matchesSegments(text) ? nil : text
    }

    /// Reads the text in parentheses after a name: an expression, a type, or the only accepted text.
    init(behindName text: String) {
        if let type = Self(type: text) {
            self = type
        } else if !text.isEmpty, text.unicodeScalars.allSatisfy(Self.isPlain) {
            self.init(isAnything: false, declaration: "{ type: enum, values: [\(text)] }")
        } else {
            self.init(text)
        }
    }

    private init(isAnything: Bool, declaration: String?) {
        self.isAnything = isAnything
        self.declaration = declaration
        lost = nil
    }

    /// Reads another router's type name.
    init?(type name: String) {
        guard let type = Self.types[name.lowercased()] else { return nil }
        self.init(isAnything: type == "path", declaration: ["path", "string"].contains(type) ? nil : type)
    }

    /// Accepts one of some texts; nil if one of them is not plain.
    init?(choices: [Substring]) {
        guard choices.count > 1, choices.allSatisfy({ !$0.isEmpty && $0.unicodeScalars.allSatisfy(Self.isPlain) })
        else { return nil }
        self.init(isAnything: false, declaration: "{ type: enum, values: [\(choices.joined(separator: ", "))] }")
    }

    private static let types = [
        "int": "int", "integer": "int", "long": "int", "float": "number", "number": "number", "decimal": "number",
        "bool": "bool", "boolean": "bool", "date": "date", "datetime": "date", "uuid": "uuid", "guid": "uuid",
        "str": "string", "string": "string", "alpha": "string", "path": "path",
    ]

    /// Whether an expression matches every text of a capture.
    private static func matchesSegments(_ text: String) -> Bool {
        let quantifier = text.quantifier
        return text.isEmpty
            || [".", "[^/]", "[^\\/]"].contains(text.dropLast(quantifier.count)) && Lengths(quantifier)?.isOpen == true
    }

    private static func declaration(of text: String) -> String? {
        if let choice = Self(choices: text.split(separator: "|", omittingEmptySubsequences: false)) {
            return choice.declaration
        }
        if ["\\d{4}-\\d{2}-\\d{2}", "\\d{4}-\\d\\d-\\d\\d"].contains(text) { return "date" }
        let quantifier = text.quantifier
        guard let lengths = Lengths(quantifier) else { return nil }
        let set = String(text.dropLast(quantifier.count))
        switch (set, lengths.isOpen) {
        case ("\\d", true), ("[\\d]", true), ("[0-9]", true), ("-?\\d", _), ("-?[0-9]", _): return "int"
        case ("[1-9]\\d", _), ("[1-9][0-9]", _): return "{ type: int, min: 1 }"
        case (".", true), ("[^/]", true): return nil
        case (".", false), ("[^/]", false): return "{ type: string\(lengths.keys) }"
        default: return characters(of: set).map { "{ type: string, charset: \($0)\(lengths.keys) }" }
        }
    }

    /// Returns the characters of an expression that is a single character set: `[a-z]`, `\w`.
    private static func characters(of set: String) -> String? {
        switch set {
        case "\\d", "[\\d]": return "0-9"
        case "\\w", "[\\w]": return "a-zA-Z0-9_"
        case "[\\w-]": return "a-zA-Z0-9_-"
        default: break
        }
        guard set.hasPrefix("["), set.hasSuffix("]") else { return nil }
        let inside = set.dropFirst().dropLast()
        return !inside.isEmpty && inside.unicodeScalars.allSatisfy(isPlain) ? String(inside) : nil
    }

    /// Whether a character is literal in expressions, in YAML, and in character sets.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        default: false
        }
    }
}

/// The text lengths that a quantifier allows; captures are never empty.
private struct Lengths {
    private let minimum: Int
    private let maximum: Int?

    /// Reads a quantifier; nil if it is invalid.
    init?(_ quantifier: Substring) {
        switch quantifier {
        case "": (minimum, maximum) = (1, 1)
        case "?": (minimum, maximum) = (1, 1)
        case "+", "*", "+?", "*?": (minimum, maximum) = (1, nil)
        default:
            let parts = quantifier.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false)
            guard quantifier.first == "{", quantifier.last == "}", parts.count < 3, let least = Int(parts[0]) else {
                return nil
            }
            minimum = max(least, 1)
            if parts.count == 2, parts[1].isEmpty {
                maximum = nil
            } else {
                guard let most = Int(parts[parts.count - 1]), most >= minimum else { return nil }
                maximum = most
            }
        }
    }

    /// Whether any length is allowed.
    var isOpen: Bool { minimum == 1 && maximum == nil }

    /// The equivalent keys, each preceded by a comma.
    var keys: String {
        (minimum > 1 ? ", min-length: \(minimum)" : "") + (maximum.map { ", max-length: \($0)" } ?? "")
    }
}

extension String {
    /// The quantifier after the last set of an expression.
    fileprivate var quantifier: Substring {
        if hasSuffix("}"), let start = lastIndex(of: "{") { return self[start...] }
        let count = reversed().prefix { "+*?".contains($0) }.count
        return suffix(count)
    }
}
