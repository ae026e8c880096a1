import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL
import XCallbackWire

/// Text with placeholders: `{name}` for a parameter, `{@fact}` for a fact, `{{` and `}}` for braces.
struct Template: Sendable {
    /// A part of the text.
    enum Part: Sendable {
        case literal([UInt8])
        /// A parameter; `isOptional` marks a capture in an optional group.
        case parameter(name: [UInt8], isList: Bool, isOptional: Bool)
        case fact(RequestFact)
        /// Data that middleware stored under a key.
        case data(String)
    }

    let parts: [Part]

    /// The text, if there are no placeholders.
    var literal: [UInt8]? {
        switch parts.count {
        case 0: []
        case 1: if case .literal(let text) = parts[0] { text } else { nil }
        default: nil
        }
    }

    /// The placeholder, if the template consists of a single one.
    var onlyPlaceholder: Part? {
        guard parts.count == 1, literal == nil else { return nil }
        return parts[0]
    }

    /// Appends the text with its placeholders filled; absent values are empty.
    ///
    /// - Throws: ``CallbackError`` 422 if a parameter that is not a list occurs more than once.
    func append(_ request: borrowing Request, to output: inout ByteBuffer) throws(CallbackError) {
        for part in parts { try part.append(request, to: &output) }
    }

    /// Returns the text with its placeholders filled, cut to what a notification shows; nil if it cannot be filled.
    func text(for request: Request) -> String? {
        var output = ByteBuffer()
        guard (try? append(request, to: &output)) != nil else { return nil }
        return String(String(decoding: output.contents, as: UTF8.self).prefix(300))
    }
}

extension Template.Part {
    /// Calls a function with each item of the part: zero items if the part is absent, or one or more.
    ///
    /// An item has a value or not: a name alone, such as an empty list, is an item without a value.
    func forEachItem(_ request: borrowing Request, _ body: (Span<UInt8>, _ hasValue: Bool) -> Void) {
        switch self {
        case .literal(let text): body(text.span, true)
        case .parameter(let name, _, _):
            let texts = request.parameters.storage.bytes.span
            for index in request.parameters.entries.indices {
                let entry = request.parameters.entries[index]
                guard areEqual(texts.extracting(entry.name), name.span) else { continue }
                body(texts.extracting(entry.value), entry.hasValue)
            }
        case .fact(let fact):
            if let text = request.text(of: fact) { body(Array(text.utf8).span, true) }
        case .data(let key):
            if let text = request.text(ofData: key) { body(Array(text.utf8).span, true) }
        }
    }

    /// Appends the part as one text.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - output: The buffer to append to.
    ///   - separator: The text between the values of a list.
    ///   - encodesValues: Whether values are percent-encoded; literal text and separators never are.
    /// - Throws: ``CallbackError`` 422 if a parameter that is not a list occurs more than once.
    func append(
        _ request: borrowing Request, to output: inout ByteBuffer, joinedBy separator: UInt8 = UInt8(ascii: ","),
        encodesValues: Bool = false
    ) throws(CallbackError) {
        if case .literal(let text) = self { return output.append(text.span) }
        var count = 0
        forEachItem(request) { value, _ in
            if count > 0 { output.append(separator) }
            if encodesValues { output.append(percentEncoding: value) } else { output.append(value) }
            count += 1
        }
        guard count > 1, case .parameter(let name, isList: false, _) = self else { return }
        throw CallbackError(.badParameter, "Parameter '\(String(utf8: name.span))' is given more than once.")
    }
}

extension Request {
    /// Returns the text that middleware stored under a key, or a member of a stored object: `app-link.target_url`.
    fileprivate func text(ofData path: String) -> String? {
        if let text = data[path] as? String { return text }
        var names = path.split(separator: ".", omittingEmptySubsequences: false)[...]
        guard let first = names.popFirst(), var value = data[String(first)] as? JSONValue else { return nil }
        while let name = names.popFirst() {
            guard let member = value[String(name)] else { return nil }
            value = member
        }
        switch value {
        case .string(let text): return text.utf8.contains(0) ? nil : text
        case .number(let number): return number.text
        case .bool(let isTrue): return isTrue ? "true" : "false"
        case .null, .array, .object: return nil
        }
    }
}
