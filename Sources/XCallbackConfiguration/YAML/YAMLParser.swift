import CLibYAML

/// A position as counted by libyaml: line and column start at 0, columns count Unicode scalars.
struct YAMLMark {
    var line: Int
    var column: Int
}

/// Reads the events of a YAML text, one at a time.
///
/// Its properties read an event in libyaml's memory, so that an event costs only the properties that are used.
struct YAMLParser: ~Copyable {
    /// The kind of event.
    enum Event {
        case documentStart
        case streamEnd
        case alias
        case scalar
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
        /// An event that the reader ignores.
        case other
    }

    /// The reason why libyaml stopped.
    struct Failure: Error {
        /// libyaml's own message.
        let problem: String
        /// The position of the problem.
        let mark: YAMLMark
        /// The start of the element that it was parsing.
        let context: YAMLMark?
        /// The element, in libyaml's own words.
        let contextName: String
    }

    // libyaml keeps pointers to the first and the last, so they must not move.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let event: UnsafeMutablePointer<yaml_event_t>
    private let input: UnsafeMutableBufferPointer<UInt8>

    /// Creates a parser for UTF-8 bytes.
    init(_ bytes: [UInt8]) {
        input = .allocate(capacity: max(bytes.count, 1))
        _ = input.initialize(from: bytes)
        event = .allocate(capacity: 1)
        event.initialize(to: yaml_event_t())
        parser = .allocate(capacity: 1)
        // Fails only without memory for its small buffers, for any input; Swift's own allocations would trap then too.
        guard yaml_parser_initialize(parser) == 1 else { preconditionFailure("no memory for a YAML parser") }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
    }

    deinit {
        yaml_event_delete(event)
        event.deallocate()
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    /// Reads the next event; the previous one becomes invalid.
    mutating func next() throws(Failure) -> Event {
        yaml_event_delete(event)
        guard yaml_parser_parse(parser, event) == 1 else { throw failure }
        return switch event.pointee.type {
        case YAML_SCALAR_EVENT: .scalar
        case YAML_MAPPING_START_EVENT: .mappingStart
        case YAML_MAPPING_END_EVENT: .mappingEnd
        case YAML_SEQUENCE_START_EVENT: .sequenceStart
        case YAML_SEQUENCE_END_EVENT: .sequenceEnd
        case YAML_ALIAS_EVENT: .alias
        case YAML_DOCUMENT_START_EVENT: .documentStart
        case YAML_STREAM_END_EVENT: .streamEnd
        default: .other
        }
    }

    private var failure: Failure {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "not enough memory"
        let context = parser.pointee.context.map { String(cString: $0) }
        return Failure(
            problem: problem,
            mark: YAMLMark(parser.pointee.problem_mark),
            context: context == nil ? nil : YAMLMark(parser.pointee.context_mark),
            contextName: context ?? ""
        )
    }
}

extension YAMLParser {
    /// The start of the event.
    var start: YAMLMark { YAMLMark(event.pointee.start_mark) }
    /// The end of the event.
    var end: YAMLMark { YAMLMark(event.pointee.end_mark) }

    /// The anchor of the value, or the anchor that an alias refers to.
    var anchor: String? {
        switch event.pointee.type {
        case YAML_SCALAR_EVENT: Self.text(event.pointee.data.scalar.anchor)
        case YAML_SEQUENCE_START_EVENT: Self.text(event.pointee.data.sequence_start.anchor)
        case YAML_MAPPING_START_EVENT: Self.text(event.pointee.data.mapping_start.anchor)
        case YAML_ALIAS_EVENT: Self.text(event.pointee.data.alias.anchor)
        default: nil
        }
    }

    /// The full tag of the value.
    var tag: String? {
        switch event.pointee.type {
        case YAML_SCALAR_EVENT: Self.text(event.pointee.data.scalar.tag)
        case YAML_SEQUENCE_START_EVENT: Self.text(event.pointee.data.sequence_start.tag)
        case YAML_MAPPING_START_EVENT: Self.text(event.pointee.data.mapping_start.tag)
        default: nil
        }
    }

    /// Whether the scalar is quoted, a block, or tagged as a string.
    var isQuoted: Bool {
        let scalar = event.pointee.data.scalar
        return scalar.style != YAML_PLAIN_SCALAR_STYLE || scalar.plain_implicit != 1
    }

    /// The text of the scalar, without quotes and with escapes resolved.
    var text: String {
        let scalar = event.pointee.data.scalar
        return String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
    }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}

extension YAMLMark {
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: Int(clamping: mark.line), column: Int(clamping: mark.column))
    }
}

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
