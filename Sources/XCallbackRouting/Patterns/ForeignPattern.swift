/// A pattern in the syntax of another router, or a regular expression, with its translation.
///
/// The syntaxes are those of Express 4, Sinatra, Rails, Flask, Bottle, Next.js, and routers that write `{id}`; a query
/// is omitted, because it is not part of a pattern.
package struct ForeignPattern {
    /// The pattern in the syntax of this router.
    package let pattern: String
    /// The parameters that the pattern constrains: their names, each with its declaration in a configuration.
    package let declarations: [(name: String, declaration: String)]
    /// The captures that accept any text here, each with its original regular expression.
    package let losses: [(name: String, expression: String)]
    /// Whether a query was omitted.
    package let hasQuery: Bool
    /// The pattern with an optional letter, in case the apparent query marks one; nil if it cannot.
    package let letterPattern: String?

    /// The maximum length of a text in bytes: longer patterns do not occur, and translation is slow.
    private static let lengthLimit = 500

    /// Translates a text; nil if its meaning is unclear, or if it has the same meaning here.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.lengthLimit else { return nil }
        var translator = PatternTranslator(text)
        guard translator.translate(), translator.pattern != text, (try? RoutePattern(translator.pattern)) != nil
        else { return nil }
        pattern = translator.pattern
        declarations = translator.declarations
        losses = translator.losses
        hasQuery = translator.hasQuery
        letterPattern = translator.letterPattern.flatMap { (try? RoutePattern($0)) == nil ? nil : $0 }
    }

    /// The end of a message, with the pattern that has an optional letter; empty if there is none.
    package var letterHint: String {
        letterPattern.map { ", or '\($0)' for a letter that may be left out" } ?? ""
    }

    /// The end of a message, with the declarations; empty if there are none.
    package var input: String {
        if declarations.isEmpty { return "" }
        let members = declarations.map { "\($0.name): \($0.declaration)" }.joined(separator: ", ")
        return " with 'input: { \(members) }'"
    }

    /// The end of a message, with the lost regular expressions; empty if there are none.
    package var loss: String {
        losses.map { ", which takes any '\($0.name)', and not only '\($0.expression)'" }.joined()
    }
}
