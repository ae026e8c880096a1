import XCallbackBytes
import XCallbackPipeline
import XCallbackURL

/// A URL with placeholders in its segments and in the values of its query.
///
/// Literal text stands as it is written; what fills a placeholder is encoded.
struct URLTemplate: Sendable {
    /// A part of the URL: literal texts and placeholders in turn.
    typealias Parts = [Template.Part]

    struct Item: Sendable {
        let name: [UInt8]
        /// Nil for an item without `=`.
        var value: Parts?
    }

    /// The scheme and the host: what no placeholder can change.
    var origin: Callback
    var startsWithSlash = false
    var segments: [Parts] = [[]]
    var items: [Item] = []
    var fragment: Parts?

    /// Writes the template as one within the router, whose actions no placeholder can lead away from.
    ///
    /// Without a host the first segment could be taken for one, when it is `x-callback-url`.
    mutating func becomeOwn() throws(ActionURLError) {
        guard origin.layout.authority == nil else { return }
        origin = try Callback(bytes: origin.bytes + Array("//x-callback-url".utf8))
        startsWithSlash = true
        if case .literal(let text)? = segments[0].first, segments[0].count == 1, segments.count > 1,
            areEqualIgnoringCase(text.span, callbackHost.span)
        {
            segments.removeFirst()
        }
    }

    /// The URL without its query, if there are no placeholders in it.
    var fixedAction: Callback? {
        var bytes = origin.bytes
        for (index, segment) in segments.enumerated() {
            if index > 0 || startsWithSlash { bytes.append(UInt8(ascii: "/")) }
            for part in segment {
                guard case .literal(let text) = part else { return nil }
                bytes += text
            }
        }
        return try? Callback(bytes: bytes)
    }

    /// The URL for a request.
    ///
    /// A segment or an item that is only a placeholder repeats for each value. An item that is only an absent
    /// placeholder is left out; a segment only if the pattern lets its capture be left out, so that no request can
    /// move the segments behind it. An item is a name alone for an empty list.
    ///
    /// - Throws: ``CallbackError`` 422 if a value would make a segment missing, empty, `.` or `..`, or if one text is
    ///   needed and a parameter that is not a list is given more than once.
    func url(for request: Request) throws(CallbackError) -> Callback {
        var bytes = origin.bytes
        try append(segmentsFor: request, to: &bytes)
        try append(itemsFor: request, to: &bytes)
        if let fragment {
            bytes.append(UInt8(ascii: "#"))
            bytes += try text(of: fragment, request)
        }
        do {
            return try Callback(bytes: bytes)
        } catch {
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
                // An empty first segment would make a host of the next one.
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

    /// The texts of the segments that parts make; none for an absent placeholder and for an empty list.
    private func texts(ofSegment parts: Parts, _ request: Request) throws(CallbackError) -> [[UInt8]] {
        let values = try values(of: parts, request)
        // Among others, a name alone would be a segment without text.
        return values == [nil] ? [] : values.map { $0 ?? [] }
    }

    private func append(itemsFor request: Request, to bytes: inout [UInt8]) throws(CallbackError) {
        var isFirst = true
        for item in items {
            let values = if let parts = item.value { try values(of: parts, request) } else { [[UInt8]?.none] }
            for value in values {
                bytes.append(isFirst ? UInt8(ascii: "?") : UInt8(ascii: "&"))
                bytes += item.name
                if let value { bytes += [UInt8(ascii: "=")] + value }
                isFirst = false
            }
        }
    }

    /// The values that parts stand for: any number for a placeholder alone, nil for a name alone; else one.
    private func values(of parts: Parts, _ request: Request) throws(CallbackError) -> [[UInt8]?] {
        guard let only = parts.first, parts.count == 1 else { return [try text(of: parts, request)] }
        var values: [[UInt8]?] = []
        only.forEachItem(request) { values.append($1 ? only.written($0) : nil) }
        return values
    }

    /// The one text that parts stand for.
    private func text(of parts: Parts, _ request: Request) throws(CallbackError) -> [UInt8] {
        var text = ByteBuffer()
        for part in parts { try part.append(request, to: &text, encodesValues: true) }
        return text.contents
    }
}

private let callbackHost = Array("x-callback-url".utf8)
private let dot = Array(".".utf8)
private let twoDots = Array("..".utf8)

extension Template.Part {
    /// Whether the part may be absent without a fault of the request.
    fileprivate var isOptional: Bool {
        if case .parameter(_, _, let isOptional) = self { isOptional } else { false }
    }

    /// A value of the part as it is written in a URL.
    fileprivate func written(_ value: Span<UInt8>) -> [UInt8] {
        if case .literal(let text) = self { return text }
        var encoded = ByteBuffer()
        encoded.append(percentEncoding: value)
        return encoded.contents
    }
}
