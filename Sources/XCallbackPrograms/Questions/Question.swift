import XCallbackWire

/// A question to the user: text from the configuration, and values that an untrusted source may have written.
package struct Question: Sendable {
    /// The placeholder of a value in the written form.
    package static let placeholder = Array("{}".utf8)
    /// The maximum number of characters that all values show together, and the minimum that each value may show.
    private static let (totalLimit, leastLimit) = (480, 20)

    private enum Part {
        case words(String)
        case value(String)
    }

    private let parts: [Part]

    /// Creates a question from its written form.
    ///
    /// - Parameters:
    ///   - text: The text, with `{}` for each value, and `{{` and `}}` for braces.
    ///   - values: The values, in their order.
    /// - Throws: ``QuestionError`` if the text contains a single brace, or if the numbers of `{}` and of values differ.
    package init(_ text: String, _ values: [String] = []) throws(QuestionError) {
        var parts: [Part] = []
        var words = ""
        var valueCount = 0
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch (scalar, rest.first) {
            case ("{", "{"), ("}", "}"):
                rest.removeFirst()
                words.unicodeScalars.append(scalar)
            case ("{", "}"):
                rest.removeFirst()
                parts.append(.words(words))
                words = ""
                if valueCount < values.count { parts.append(.value(values[valueCount])) }
                valueCount += 1
            case ("{", _), ("}", _): throw .loneBrace
            default: words.unicodeScalars.append(scalar)
            }
        }
        guard valueCount == values.count else { throw .otherCount(placeholders: valueCount, values: values.count) }
        self.parts = parts + [.words(words)]
    }

    /// Returns a text in the written form: with its braces doubled.
    package static func written(_ words: [UInt8]) -> [UInt8] {
        words.flatMap { [UInt8(ascii: "{"), UInt8(ascii: "}")].contains($0) ? [$0, $0] : [$0] }
    }

    /// The lines that the user sees.
    ///
    /// Their length and number leave room for buttons. A line that starts within a value starts with an arrow.
    package var lines: [String] {
        var layout = QuestionLayout()
        for part in parts {
            switch part {
            case .words(let words): layout.append(words: words)
            case .value(let value): layout.append(QuotedValue(value, limit: valueLimit))
            }
        }
        return layout.lines
    }

    /// The question in one line, without characters that change the text direction.
    package var line: String {
        let texts = parts.map { part in
            switch part {
            case .words(let words): words.replacing(each: "\n", with: " ")
            case .value(let value): QuotedValue(value, limit: valueLimit).text
            }
        }
        return texts.joined()
    }

    /// The maximum number of characters that each value shows.
    private var valueLimit: Int {
        let count = parts.count { if case .value = $0 { true } else { false } }
        return min(QuotedValue.usualLimit, max(Self.totalLimit / max(count, 1), Self.leastLimit))
    }
}

/// The reason why a text is not a valid question.
package enum QuestionError: Error, Hashable, CustomStringConvertible {
    /// A brace is neither doubled nor part of `{}`.
    case loneBrace
    /// The numbers of values and of `{}` differ.
    case otherCount(placeholders: Int, values: Int)

    /// The reason.
    package var description: String {
        switch self {
        case .loneBrace: "a brace of the text is written '{{' or '}}', and '{}' stands for a value"
        case .otherCount(let placeholders, let values):
            "the text has \(placeholders) '{}', but the number of values is \(values)"
        }
    }
}
