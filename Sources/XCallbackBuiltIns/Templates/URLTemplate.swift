import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// A URL with placeholders in its segments and in the values of its query.
///
/// Literal text stays as written; values of placeholders are encoded.
struct URLTemplate: Sendable {
    /// A part of the URL: literal texts and placeholders in turn.
    typealias Parts = [Template.Part]

    struct Item: Sendable {
        let name: [UInt8]
        /// Nil for an item without `=`.
        var value: Parts?
    }

    /// The scheme and the host, which placeholders cannot change.
    var origin: Callback
    /// Whether the scheme is of syntax `text`, so that values are written as they are.
    var isText = false
    /// Whether it leads to a route of the router.
    private var isOwn = false
    var startsWithSlash = false
    var segments: [Parts] = [[]]
    var items: [Item] = []
    var fragment: Parts?

    /// Converts the template to a URL within the router, whose scheme and host placeholders cannot change.
    ///
    /// Without a host, a first segment `x-callback-url` could be mistaken for one.
    mutating func becomeOwn() throws(ActionURLError) {
        isOwn = true
        guard origin.layout.authority == nil else { return }
        origin = try Callback(bytes: origin.bytes + Array("//x-callback-url".utf8))
        startsWithSlash = true
        if case .literal(let text)? = segments[0].first, segments[0].count == 1, segments.count > 1,
            areEqualIgnoringCase(text.span, "x-callback-url")
        {
            segments.removeFirst()
        }
    }

    /// The placeholders that decide the action: those in the segments.
    var actionPlaceholders: [Template.Part] {
        segments.joined().filter { part in if case .literal = part { false } else { true } }
    }

    /// The URL without its query, if it has no placeholder there.
    var fixedAction: Callback? {
        var bytes = origin.bytes
        for (index, segment) in segments.enumerated() {
            guard let text = Template(parts: segment).literal else { return nil }
            if index > 0 || startsWithSlash { bytes.append(UInt8(ascii: "/")) }
            bytes += text
        }
        return try? Callback(bytes: bytes)
    }

    /// Returns the URL for a request.
    ///
    /// A segment or an item that consists of a single placeholder repeats for each value. An item with only an absent
    /// placeholder is left out; a segment is left out only if its capture is optional in the pattern, so that no
    /// request can shift the segments after it. For an empty list, an item is a name alone.
    ///
    /// - Throws: ``CallbackError`` 422 if a value would make a segment missing, empty, `.`, or `..`, or if a single
    ///   text is required and a parameter that is not a list occurs more than once.
    func url(for request: Request) throws(CallbackError) -> Callback {
        var bytes = origin.bytes
        try append(segmentsFor: request, to: &bytes)
        try append(itemsFor: request, to: &bytes)
        if let fragment {
            bytes.append(UInt8(ascii: "#"))
            bytes += try text(of: fragment, request, valueEncoding)
        }
        let start = bytes.dropFirst(origin.bytes.count).prefix(2)
        if isText, !isWritableText(Array(start).span) || hasRawControl(bytes.span) { throw .notText }
        do {
            return try Callback(bytes: bytes)
        } catch {
            if isText { throw .notText }
            throw CallbackError(.internalFailure, "The redirect leads to a URL with \(error).")
        }
    }

    private func append(segmentsFor request: Request, to bytes: inout [UInt8]) throws(CallbackError) {
        var isFirst = true
        for segment in segments {
            let texts = try texts(ofSegment: segment, request)
            if texts.isEmpty, segment.first?.isOptional == false {
                throw CallbackError(.badParameter, "A parameter that becomes a segment is missing.")
            }
            for text in texts {
                // After an empty first segment, the next one would become a host.
                guard text != dot, text != twoDots, !text.isEmpty || segment.isEmpty else {
                    throw CallbackError(
                        .badParameter, "A parameter that becomes a segment must not be empty, '.' or '..'.")
                }
                if !isFirst || startsWithSlash { bytes.append(UInt8(ascii: "/")) }
                bytes += text
                isFirst = false
            }
        }
    }

    /// Returns the texts of the segments that parts produce; empty for an absent placeholder, and for an empty list.
    private func texts(ofSegment parts: Parts, _ request: Request) throws(CallbackError) -> [[UInt8]] {
        let values = try values(of: parts, request, isText || isOwn ? valueEncoding : .path)
        // This includes a name alone, which would otherwise be a segment without text.
        return values == [nil] ? [] : values.map { $0 ?? [] }
    }

    private func append(itemsFor request: Request, to bytes: inout [UInt8]) throws(CallbackError) {
        var isFirst = true
        for item in items {
            let values =
                if let parts = item.value { try values(of: parts, request, valueEncoding) } else { [[UInt8]?.none] }
            for value in values {
                bytes.append(isFirst ? UInt8(ascii: "?") : UInt8(ascii: "&"))
                bytes += item.name
                if let value { bytes += [UInt8(ascii: "=")] + value }
                isFirst = false
            }
        }
    }

    /// The encoding of values outside of paths.
    private var valueEncoding: ValueEncoding { isText ? .none : .whole }

    /// Returns the values of parts: any number for a single placeholder, nil for a name alone; otherwise one.
    private func values(
        of parts: Parts, _ request: Request, _ encoding: ValueEncoding
    ) throws(CallbackError) -> [[UInt8]?] {
        guard let only = parts.first, parts.count == 1 else { return [try text(of: parts, request, encoding)] }
        var values: [[UInt8]?] = []
        only.forEachItem(request) { values.append($1 ? only.written($0, encoding) : nil) }
        return values
    }

    /// Returns the single text of parts.
    private func text(
        of parts: Parts, _ request: Request, _ encoding: ValueEncoding
    ) throws(CallbackError) -> [UInt8] {
        var text = ByteBuffer()
        for part in parts { try part.append(request, to: &text, as: encoding) }
        return text.contents
    }
}

private let dot = Array(".".utf8)
private let twoDots = Array("..".utf8)

extension CallbackError {
    fileprivate static let notText = CallbackError(
        .badParameter, "A parameter that becomes the text of a URL must not begin with '//' or hold blanks or controls."
    )
}

extension Template.Part {
    /// Whether the part can be absent from a valid request.
    fileprivate var isOptional: Bool {
        if case .parameter(_, _, let isOptional) = self { isOptional } else { false }
    }

    /// Returns a value of the part as written in a URL.
    fileprivate func written(_ value: Span<UInt8>, _ encoding: ValueEncoding) -> [UInt8] {
        if case .literal(let text) = self { return text }
        var encoded = ByteBuffer()
        encoding.append(value, to: &encoded)
        return encoded.contents
    }
}

// MARK: - Parsing

extension URLTemplate {
    /// Splits a template into the parts of a URL; reports faults.
    init?(_ template: Template, at place: Place, _ faults: FaultList) {
        do {
            try self.init(splitting: template)
        } catch {
            faults.report(error.message, at: place)
            return nil
        }
    }

    private init(splitting template: Template) throws(URLTemplateFault) {
        guard case .literal(let text)? = template.parts.first else {
            throw URLTemplateFault("expected a URL whose scheme is literal")
        }
        let isAll = template.parts.count == 1
        do {
            origin = try Self.origin(of: text, isAll: isAll)
        } catch {
            throw error.reason == .notAHostName
                ? URLTemplateFault("expected a URL whose host is literal: end the host with a slash")
                : URLTemplateFault(error)
        }
        let symbols = template.parts.flatMap(\.symbols)
        // A substitute for each placeholder, to check the literal text.
        let sample = symbols.map { $0.byte ?? UInt8(ascii: "x") }
        var rest = symbols[origin.bytes.count...]
        startsWithSlash = rest.first?.byte == UInt8(ascii: "/")
        if startsWithSlash { rest.removeFirst() }
        if let mark = rest.firstIndex(where: { $0.byte == UInt8(ascii: "#") }) {
            fragment = joined(rest[(mark + 1)...])
            rest = rest[..<mark]
        }
        if let mark = rest.firstIndex(where: { $0.byte == UInt8(ascii: "?") }) {
            items = try Self.items(in: rest[(mark + 1)...])
            rest = rest[..<mark]
        }
        segments = rest.split(omittingEmptySubsequences: false) { $0.byte == UInt8(ascii: "/") }.map(joined)
        do {
            _ = try URLLayout(checking: sample.span)
        } catch {
            throw URLTemplateFault(error)
        }
    }

    /// Returns the scheme and the host at the start of a URL.
    private static func origin(of text: [UInt8], isAll: Bool) throws(ActionURLError) -> Callback {
        let layout = try URLLayout(checking: text.span)
        let end = layout.authority?.upperBound ?? layout.scheme.upperBound + 1
        guard isAll || layout.authority == nil || end < text.count else {
            throw ActionURLError(.notAHostName, at: end)
        }
        return try Callback(bytes: Array(text[..<end]))
    }

    private static func items(in query: ArraySlice<Symbol>) throws(URLTemplateFault) -> [Item] {
        var items: [Item] = []
        for item in query.split(whereSeparator: { $0.byte == UInt8(ascii: "&") }) {
            let sign = item.firstIndex { $0.byte == UInt8(ascii: "=") }
            let name = item[..<(sign ?? item.endIndex)]
            guard name.allSatisfy({ $0.byte != nil }) else {
                throw URLTemplateFault("a placeholder cannot be the name of an item: it fills a segment or a value")
            }
            items.append(Item(name: name.compactMap(\.byte), value: sign.map { joined(item[($0 + 1)...]) }))
        }
        return items
    }
}

/// The reason why a template is not a valid URL template.
private struct URLTemplateFault: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    init(_ error: ActionURLError) {
        message = "expected a URL such as notes:/ping/{name}, found \(error)"
    }
}

/// A byte of literal text, or a placeholder.
private enum Symbol {
    case literal(UInt8)
    case placeholder(Template.Part)

    /// The byte; nil for a placeholder.
    var byte: UInt8? { if case .literal(let byte) = self { byte } else { nil } }
}

extension Template.Part {
    fileprivate var symbols: [Symbol] {
        if case .literal(let text) = self { text.map { .literal($0) } } else { [.placeholder(self)] }
    }
}

/// Returns the parts that consist of some symbols.
private func joined(_ symbols: ArraySlice<Symbol>) -> URLTemplate.Parts {
    var parts: URLTemplate.Parts = []
    var text: [UInt8] = []
    for symbol in symbols {
        switch symbol {
        case .literal(let byte): text.append(byte)
        case .placeholder(let part):
            if !text.isEmpty { parts.append(.literal(text)) }
            text = []
            parts.append(part)
        }
    }
    return text.isEmpty ? parts : parts + [.literal(text)]
}
