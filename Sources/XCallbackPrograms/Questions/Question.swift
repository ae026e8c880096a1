import XCallbackBytes

/// A question to the user: words of the configuration, and values that a stranger may have written.
package struct Question: Sendable {
    /// What stands for a value in the written form.
    package static let placeholder = Array("{}".utf8)
    /// How many characters all values together may show, and how many one shows in any case.
    private static let (totalLimit, leastLimit) = (480, 20)

    private enum Part {
        case words(String)
        case value(String)
    }

    private let parts: [Part]

    /// Creates a question from its written form.
    ///
    /// - Parameters:
    ///   - text: The words, with `{}` for each value, and `{{` and `}}` for braces.
    ///   - values: The values, in their order.
    /// - Throws: ``QuestionError`` if the words have another brace, or not as many `{}` as there are values.
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

    /// Words as they are in the written form: with their braces doubled.
    package static func written(_ words: [UInt8]) -> [UInt8] {
        words.flatMap { [UInt8(ascii: "{"), UInt8(ascii: "}")].contains($0) ? [$0, $0] : [$0] }
    }

    /// The lines that the user sees.
    ///
    /// They are so short, and there are so few of them, that they leave room for buttons. One that begins within a value
    /// begins with an arrow.
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

    /// The question on one line, without what steers the direction of text.
    package var line: String {
        let texts = parts.map { part in
            switch part {
            case .words(let words): words.replacing(each: "\n", with: " ")
            case .value(let value): QuotedValue(value, limit: valueLimit).text
            }
        }
        return texts.joined()
    }

    /// How many characters each value shows at most.
    private var valueLimit: Int {
        let count = parts.count { if case .value = $0 { true } else { false } }
        return min(QuotedValue.usualLimit, max(Self.totalLimit / max(count, 1), Self.leastLimit))
    }
}

/// Why a text is not the written form of a question.
package enum QuestionError: Error, Hashable, CustomStringConvertible {
    /// A brace is neither doubled nor part of `{}`.
    case loneBrace
    /// There are more or fewer values than `{}`.
    case otherCount(placeholders: Int, values: Int)

    /// What is wrong.
    package var description: String {
        switch self {
        case .loneBrace: "a brace of the text is written '{{' or '}}', and '{}' stands for a value"
        case .otherCount(let placeholders, let values):
            "the text has \(placeholders) '{}', but the number of values is \(values)"
        }
    }
}
