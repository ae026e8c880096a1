import CLibYAML

/// A place as libyaml counts: both from 0, columns in Unicode scalars.
struct YAMLMark {
    var line: Int
    var column: Int
}

/// The events of a YAML text, one at a time.
///
/// What it says of an event it reads where libyaml has it, so that an event costs only what is asked of it.
struct YAMLParser: ~Copyable {
    /// What begins, ends or stands there.
    enum Event {
        case documentStart
        case streamEnd
        case alias
        case scalar
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
        /// Something without a meaning for the reader.
        case other
    }

    /// Why libyaml stopped.
    struct Failure: Error {
        /// libyaml's own words.
        let problem: String
        /// Where it noticed.
        let mark: YAMLMark
        /// Where the thing began that it was reading.
        let context: YAMLMark?
        /// What that thing is, in libyaml's own words.
        let contextName: String
    }

    // libyaml keeps pointers into the first and the last, so that they must stay where they are.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let event: UnsafeMutablePointer<yaml_event_t>
    private let input: UnsafeMutableBufferPointer<UInt8>
    private let pairs: SurrogatePairs?

    /// Creates a parser of UTF-8 bytes.
    init(_ bytes: [UInt8]) {
        var bytes = bytes
        pairs = SurrogatePairs(replacedIn: &bytes)
        input = .allocate(capacity: max(bytes.count, 1))
        _ = input.initialize(from: bytes)
        event = .allocate(capacity: 1)
        event.initialize(to: yaml_event_t())
        parser = .allocate(capacity: 1)
        // It fails only if there is no memory for its few buffers, whatever the input; Swift's own allocations trap then too.
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

    /// Reads the next event; what there was of the last one is gone then.
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

    /// Finds the texts in double quotes; nothing is left to read then.
    ///
    /// - Returns: Where they stand, in Unicode scalars; nil if the text is not YAML.
    mutating func doubleQuotedTexts() -> [Range<Int>]? {
        var texts: [Range<Int>] = []
        var isAtEnd = false
        while !isAtEnd {
            guard let kind = try? next() else { return nil }
            isAtEnd = kind == .streamEnd
            if kind == .scalar, isInDoubleQuotes {
                texts.append(Int(event.pointee.start_mark.index)..<Int(event.pointee.end_mark.index))
            }
        }
        return texts
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
    /// Where the event begins.
    var start: YAMLMark { YAMLMark(event.pointee.start_mark) }
    /// Where it ends.
    var end: YAMLMark { YAMLMark(event.pointee.end_mark) }

    /// The name that an alias can use for the value, or that the alias uses.
    var anchor: String? {
        switch event.pointee.type {
        case YAML_SCALAR_EVENT: Self.text(event.pointee.data.scalar.anchor)
        case YAML_SEQUENCE_START_EVENT: Self.text(event.pointee.data.sequence_start.anchor)
        case YAML_MAPPING_START_EVENT: Self.text(event.pointee.data.mapping_start.anchor)
        case YAML_ALIAS_EVENT: Self.text(event.pointee.data.alias.anchor)
        default: nil
        }
    }

    /// The full name of the value's tag.
    var tag: String? {
        switch event.pointee.type {
        case YAML_SCALAR_EVENT: Self.text(event.pointee.data.scalar.tag)
        case YAML_SEQUENCE_START_EVENT: Self.text(event.pointee.data.sequence_start.tag)
        case YAML_MAPPING_START_EVENT: Self.text(event.pointee.data.mapping_start.tag)
        default: nil
        }
    }

    /// Whether the scalar is in quotes, a block, or tagged as text.
    var isQuoted: Bool {
        let scalar = event.pointee.data.scalar
        return scalar.style != YAML_PLAIN_SCALAR_STYLE || scalar.plain_implicit != 1
    }

    /// Calls a function with the text of the scalar, without its quotes and with escapes resolved.
    func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let scalar = event.pointee.data.scalar
        let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
        guard let pairs, isInDoubleQuotes else { return body(bytes) }
        var text = pairs.restored(String(decoding: bytes, as: UTF8.self))
        return text.withUTF8(body)
    }

    private var isInDoubleQuotes: Bool { event.pointee.data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}

extension YAMLMark {
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: Int(clamping: mark.line), column: Int(clamping: mark.column))
    }
}
