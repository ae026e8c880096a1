import CLibYAML

/// One step of a YAML document.
struct YAMLEvent: ~Copyable {
    /// What begins, ends or stands there.
    enum Kind: Equatable {
        case documentStart
        case streamEnd
        case alias(String)
        case scalar(Node.Scalar)
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
        /// Something without a meaning for the reader.
        case other
    }

    /// A place as libyaml counts: both from 0, columns in Unicode scalars.
    struct Mark {
        var line: Int
        var column: Int
    }

    let kind: Kind
    /// The name that an alias can use for the value.
    var anchor: String?
    /// The full name of the value's tag.
    var tag: String?
    let start: Mark
    let end: Mark
}

/// The events of a YAML text, one at a time.
struct YAMLParser: ~Copyable {
    /// Why libyaml stopped.
    struct Failure: Error {
        /// libyaml's own words.
        let problem: String
        /// Where it noticed.
        let mark: YAMLEvent.Mark
        /// Where the thing began that it was reading.
        let context: YAMLEvent.Mark?
        /// What that thing is, in libyaml's own words.
        let contextName: String
    }

    // libyaml keeps pointers into both, so that they must stay where they are.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>
    private let pairs: SurrogatePairs?

    /// Creates a parser of UTF-8 bytes.
    init(_ bytes: [UInt8]) {
        var bytes = bytes
        pairs = SurrogatePairs(replacedIn: &bytes)
        input = .allocate(capacity: max(bytes.count, 1))
        _ = input.initialize(from: bytes)
        parser = .allocate(capacity: 1)
        // It fails only if there is no memory for its few buffers, whatever the input; Swift's own allocations trap then too.
        guard yaml_parser_initialize(parser) == 1 else { preconditionFailure("no memory for a YAML parser") }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    /// Reads the next event.
    mutating func next() throws(Failure) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw failure }
        defer { yaml_event_delete(&event) }
        return YAMLEvent(event, pairs)
    }

    /// Finds the texts in double quotes; nothing is left to read then.
    ///
    /// - Returns: Where they stand, in Unicode scalars; nil if the text is not YAML.
    mutating func doubleQuotedTexts() -> [Range<Int>]? {
        var texts: [Range<Int>] = []
        var isAtEnd = false
        while !isAtEnd {
            var event = yaml_event_t()
            guard yaml_parser_parse(parser, &event) == 1 else { return nil }
            isAtEnd = event.type == YAML_STREAM_END_EVENT
            if event.type == YAML_SCALAR_EVENT, event.data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE {
                texts.append(Int(event.start_mark.index)..<Int(event.end_mark.index))
            }
            yaml_event_delete(&event)
        }
        return texts
    }

    private var failure: Failure {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "not enough memory"
        let context = parser.pointee.context.map { String(cString: $0) }
        return Failure(
            problem: problem,
            mark: YAMLEvent.Mark(parser.pointee.problem_mark),
            context: context == nil ? nil : YAMLEvent.Mark(parser.pointee.context_mark),
            contextName: context ?? ""
        )
    }
}

extension YAMLEvent.Mark {
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: Int(clamping: mark.line), column: Int(clamping: mark.column))
    }
}

extension YAMLEvent {
    fileprivate init(_ event: yaml_event_t, _ pairs: SurrogatePairs?) {
        start = Mark(event.start_mark)
        end = Mark(event.end_mark)
        switch event.type {
        case YAML_DOCUMENT_START_EVENT: kind = .documentStart
        case YAML_STREAM_END_EVENT: kind = .streamEnd
        case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
        case YAML_MAPPING_END_EVENT: kind = .mappingEnd
        case YAML_ALIAS_EVENT: kind = .alias(Self.text(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            kind = .scalar(Self.scalar(scalar, pairs))
            anchor = Self.text(scalar.anchor)
            tag = Self.text(scalar.tag)
        case YAML_SEQUENCE_START_EVENT:
            kind = .sequenceStart
            anchor = Self.text(event.data.sequence_start.anchor)
            tag = Self.text(event.data.sequence_start.tag)
        case YAML_MAPPING_START_EVENT:
            kind = .mappingStart
            anchor = Self.text(event.data.mapping_start.anchor)
            tag = Self.text(event.data.mapping_start.tag)
        default: kind = .other
        }
    }

    private static func scalar(
        _ scalar: yaml_event_t.__Unnamed_union_data.__Unnamed_struct_scalar, _ pairs: SurrogatePairs?
    ) -> Node.Scalar {
        let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
        let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE && scalar.plain_implicit == 1
        let text = String(decoding: bytes, as: UTF8.self)
        let isEscaped = scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE
        return Node.Scalar(text: isEscaped ? pairs?.restored(text) ?? text : text, isQuoted: !isPlain)
    }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}
