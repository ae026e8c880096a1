/// A pattern in the syntax of another router, or a regular expression, and what it is here.
///
/// It knows Express 4, Sinatra, Rails, Flask, Bottle, Next.js, and those that write `{id}`; a query is no part of a pattern,
/// and left out.
package struct ForeignPattern {
    /// The pattern in the syntax of this router.
    package let pattern: String
    /// What else it says of its parameters: their names, each with its declaration in a configuration.
    package let declarations: [(name: String, declaration: String)]
    /// The captures that take any text here, each with the regular expression that it had.
    package let losses: [(name: String, expression: String)]
    /// Whether a query was left out.
    package let hasQuery: Bool
    /// The pattern if what was taken for a query is the mark of a letter that may be left out; nil if it is none.
    package let letterPattern: String?

    /// How long a text may be, in bytes: nobody writes longer ones, and the translation takes its time.
    private static let lengthLimit = 500

    /// Translates a text; nil if it cannot be told what is meant, or if it means the same here.
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

    /// The end of a message that tells the pattern with a letter that may be left out; empty if there is none.
    package var letterHint: String {
        letterPattern.map { ", or '\($0)' for a letter that may be left out" } ?? ""
    }

    /// The end of a message that tells the declarations; empty if there are none.
    package var input: String {
        if declarations.isEmpty { return "" }
        let members = declarations.map { "\($0.name): \($0.declaration)" }.joined(separator: ", ")
        return " with 'input: { \(members) }'"
    }

    /// The end of a message that tells which regular expressions are lost; empty if none are.
    package var loss: String {
        losses.map { ", which takes any '\($0.name)', and not only '\($0.expression)'" }.joined()
    }
}
