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
