/// The message for a text that is not YAML, for each of libyaml's problems.
struct SyntaxFault {
    /// Which of libyaml's two marks the message refers to.
    enum Target {
        case problem
        case beginning
    }

    let message: String
    let target: Target
    /// The role of the other mark, if it is useful.
    var otherRole: String?

    /// Chooses the message for a failure at a mark in the source; libyaml's own for rare problems.
    init(_ failure: YAMLParser.Failure, at mark: YAMLMark, in source: Source) {
        let line = source.line(mark.line + 1).unicodeScalars
        let isFirstInLine = line.prefix(mark.column).allSatisfy { $0 == " " }
        let rest = line.dropFirst(mark.column)
        let isEnd = rest.isEmpty && mark.line + 1 == source.lineCount
        switch failure.problem {
        case "found character that cannot start any token" where rest.first == "\t":
            self = Self.tab
        case "did not find expected key" where !isFirstInLine,
            "did not find expected <document start>" where !isFirstInLine:
            self.init(message: "expected the end of the line" + Self.quoteHint(behind: line.prefix(mark.column)))
        case "did not find expected ',' or ']'" where isEnd:
            self.init(message: "the list that begins here is not closed", target: .beginning)
        case "did not find expected ',' or '}'" where isEnd:
            self.init(message: "the mapping that begins here is not closed", target: .beginning)
        case "did not find expected ',' or '}'" where rest.first == ":" && failure.context?.line == mark.line,
            "did not find expected ',' or ']'" where rest.first == ":" && failure.context?.line == mark.line:
            self.init(message: "unexpected ':': quote the text that holds it")
        case "did not find expected ',' or '}'", "did not find expected ',' or ']'":
            let isList = failure.problem.hasSuffix("']'")
            self.init(
                message: (isList ? "expected ',' or ']' in a list" : "expected ',' or '}' in a mapping")
                    + Self.quoteHint(behind: line.prefix(mark.column)))
            otherRole = Self.roles[failure.contextName]
        default:
            self = Self.known[failure.problem] ?? SyntaxFault(message: failure.problem)
            otherRole = Self.roles[failure.contextName]
        }
    }

    private init(message: String, target: Target = .problem) {
        self.message = message
        self.target = target
    }

    /// Returns the remedy for a text that continues after its end according to YAML.
    private static func quoteHint(behind text: some Collection<Unicode.Scalar>) -> String {
        switch text.reduce(nil, { $1 == " " ? $0 : $1 }) as Unicode.Scalar? {
        case "'": ": a single quote within single quotes is written twice"
        case "}", "\"": ": put the whole text in quotes"
        default: ""
        }
    }

    private static let roles = [
        "while parsing a flow sequence": "the list begins",
        "while parsing a flow mapping": "the mapping begins",
        "while parsing a block collection": "the list begins",
        "while parsing a block mapping": "the mapping begins",
    ]

    private static let tab = SyntaxFault(message: "expected spaces for the indentation, found a tab")

    private static let known: [String: SyntaxFault] = [
        "could not find expected ':'": .init(message: "expected a ':' after this key", target: .beginning),
        "found unexpected ':'": .init(
            message: "unexpected ':': leave it out, or quote the text that holds it"),
        "found a tab character where an indentation space is expected": tab,
        "found a tab character that violates indentation": tab,
        "found character that cannot start any token": .init(
            message: "a text cannot begin with this character; put it in quotes"
        ),
        "mapping values are not allowed in this context": .init(
            message: "a ':' is not expected here; check the indentation, or quote a text that holds one"
        ),
        "mapping keys are not allowed in this context": .init(message: "a key is not expected here"),
        "block sequence entries are not allowed in this context": .init(
            message: "a '-' is not expected here; a list begins on a line of its own"
        ),
        "did not find expected key": .init(message: "expected a key; check the indentation"),
        "did not find expected '-' indicator": .init(
            message: "expected a '-' for the next item of the list; check the indentation"
        ),
        "did not find expected node content": .init(message: "expected a value"),
        "did not find expected <document start>": .init(
            message: "expected the end of the file; check the indentation"
        ),
        "did not find expected comment or line break": .init(message: "expected the end of the line"),
        "found unexpected end of stream": .init(
            message: "the quoted text that begins here is not closed",
            target: .beginning
        ),
        "found unexpected document indicator": .init(
            message: "the quoted text that begins here is not closed before the document ends",
            target: .beginning
        ),
        "found unknown escape character": .init(
            message: "unknown escape in a text in double quotes; a backslash itself is written '\\\\'"
        ),
        "did not find expected hexdecimal number": .init(message: "expected hexadecimal digits in an escape"),
        "found invalid Unicode character escape code": .init(
            message:
                "this escape is not a character: write the character itself, or '\\UNNNNNNNN' for one beyond \\uFFFF"
        ),
        "did not find expected alphabetic or numeric character": .init(
            message:
                "expected a name of letters, digits, '-' and '_' for an anchor or alias: text that begins with '*' or '&' needs quotes"
        ),
        "found undefined tag handle": .init(message: "unknown tag"),
    ]
}
