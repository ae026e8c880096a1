/// A capture in brackets in the pattern of another router.
struct BracketedCapture {
    let name: String
    let expression: RegularExpression
    let isOptional: Bool

    /// The types that Flask writes before a name; Bottle and others write them after it.
    private static let leadingTypes = ["int", "float", "string", "path", "uuid", "str", "slug", "any"]

    /// Reads the text in the brackets; nil if it is not a capture.
    ///
    /// - Parameters:
    ///   - text: A name, with an optional type before or after it.
    ///   - bracket: The opening bracket: after `<`, the type can come first, as in `<int:id>`; after `[`, dots precede
    ///     the name of a wildcard, as in `[...path]`.
    init?(_ text: String, in bracket: Unicode.Scalar) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let namesTypeFirst = bracket == "<" && parts.count == 2 && !Self.namesTypeLast(parts[0], parts[1])
        var name = (namesTypeFirst ? parts.last : parts.first) ?? ""
        var type = parts.count == 2 ? String(namesTypeFirst ? parts[0] : parts[1]) : nil
        if let text = type, text.hasPrefix("re:") { type = String(text.dropFirst(3)) }
        var end = ["...", "..", "*", "?"].first { name.hasSuffix($0) } ?? ""
        name = name.dropLast(end.count)
        if bracket == "[", end.isEmpty, name.hasPrefix("...") {
            end = "..."
            name = name.dropFirst(3)
        }
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

    /// Whether only the second of two words is a type.
    private static func namesTypeLast(_ first: Substring, _ last: Substring) -> Bool {
        if last.hasPrefix("re:") { return true }
        let word = first.prefix { $0 != "(" }.lowercased()
        return RegularExpression(type: String(last)) != nil && !leadingTypes.contains(word)
    }
}
