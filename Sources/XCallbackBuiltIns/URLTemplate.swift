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

    /// The URL for a request.
    ///
    /// A segment or an item that is only a placeholder is left out when that is absent, and repeats for each value of
    /// a list.
    ///
    /// - Throws: ``CallbackError`` 422 if a value would make a segment empty, `.` or `..`.
    func url(for request: Request) throws(CallbackError) -> Callback {
        var bytes = origin.bytes
        try append(segmentsFor: request, to: &bytes)
        append(itemsFor: request, to: &bytes)
        if let fragment {
            bytes.append(UInt8(ascii: "#"))
            for text in texts(of: fragment, request) { bytes += text }
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
            for text in texts(of: segment, request) {
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

    private func append(itemsFor request: Request, to bytes: inout [UInt8]) {
        var isFirst = true
        for item in items {
            for value in item.value.map({ texts(of: $0, request) }) ?? [[]] {
                bytes.append(isFirst ? UInt8(ascii: "?") : UInt8(ascii: "&"))
                bytes += item.name
                if item.value != nil { bytes.append(UInt8(ascii: "=")) }
                bytes += value
                isFirst = false
            }
        }
    }

    /// The texts that parts stand for: none or many for a placeholder alone, else one.
    private func texts(of parts: Parts, _ request: Request) -> [[UInt8]] {
        var texts: [[UInt8]] = []
        if let only = parts.first, parts.count == 1 {
            only.forEachValue(request) { texts.append(only.written($0)) }
            return texts
        }
        var text: [UInt8] = []
        for part in parts {
            var isFirst = true
            part.forEachValue(request) { value in
                if !isFirst { text.append(UInt8(ascii: ",")) }
                text += part.written(value)
                isFirst = false
            }
        }
        return [text]
    }
}

private let dot = Array(".".utf8)
private let twoDots = Array("..".utf8)

extension Template.Part {
    /// A value of the part as it is written in a URL.
    fileprivate func written(_ value: Span<UInt8>) -> [UInt8] {
        if case .literal(let text) = self { return text }
        var encoded: [UInt8] = []
        encoded.append(percentEncoding: value)
        return encoded
    }
}
