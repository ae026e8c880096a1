/// What a regular expression for a capture demands, as far as it can be declared.
struct RegularExpression {
    /// Whether it matches any text, slashes too.
    let isAnything: Bool
    /// The declaration of a parameter that demands the same; nil if there is none, or if nothing is demanded.
    let declaration: String?
    /// The expression, if it demands what no declaration does; nil for most.
    let lost: String?

    /// Reads an expression; an empty one demands nothing.
    init(_ text: String) {
        isAnything = [".*", ".+", ".*?", ".+?"].contains(text)
        declaration = Self.declaration(of: text)
        lost = isAnything || declaration != nil || Self.matchesSegments(text) ? nil : text
    }

    /// Reads what stands in parentheses behind a name: an expression, a type, or the only text that is meant.
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

    /// Takes a type that another router knows by its name.
    init?(type name: String) {
        guard let type = Self.types[name.lowercased()] else { return nil }
        self.init(isAnything: type == "path", declaration: ["path", "string"].contains(type) ? nil : type)
    }

    /// Demands one of some texts; nil if one of them is not plain.
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

    /// Whether an expression matches all that a capture does.
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

    /// The characters of an expression that is one set of them: `[a-z]`, `\w`.
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

    /// Whether a character stands for itself in expressions, in YAML and in sets of characters.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        default: false
        }
    }
}

/// How long a text is that a quantifier demands; captures are never empty.
private struct Lengths {
    private let minimum: Int
    private let maximum: Int?

    /// Reads a quantifier; nil if it is none.
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

    /// Whether any text is long enough, and none too long.
    var isOpen: Bool { minimum == 1 && maximum == nil }

    /// The keys that demand the same, each with a comma before it.
    var keys: String {
        (minimum > 1 ? ", min-length: \(minimum)" : "") + (maximum.map { ", max-length: \($0)" } ?? "")
    }
}

extension String {
    /// What stands behind the last set of an expression, and says how often it is repeated.
    fileprivate var quantifier: Substring {
        if hasSuffix("}"), let start = lastIndex(of: "{") { return self[start...] }
        let count = reversed().prefix { "+*?".contains($0) }.count
        return suffix(count)
    }
}
