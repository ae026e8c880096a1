import XCallbackURL
import XCallbackWire

/// The answer of another application, read from a return URL.
///
/// The token is found first, because it decides which call ends. The rest is read as kindly as possible: applications join
/// items to the URL with `&`, `/` or `#` instead of `?`, and write raw `%`, spaces and quotation marks.
package struct ReturnedAnswer: Sendable {
    /// The token of the call.
    package let token: String
    /// The answer of the application, or an error if it is unreadable.
    package let response: Response

    /// Reads a return URL; nil if the URL is none.
    ///
    /// - Parameters:
    ///   - url: The URL as received.
    ///   - maximumItems: The maximum number of items.
    init?(_ url: Span<UInt8>, maximumItems: Int) {
        guard let place = ReturnURL.token(in: url) else { return nil }
        token = String(utf8: url.extracting(place))
        var reader = Reader(
            Array(copying: url.extracting(place.upperBound..<url.count)), maximumItems: maximumItems)
        response = reader.response()
    }

    /// Reads the beginning of a return URL that exceeds a limit; nil if the URL is none.
    ///
    /// - Parameters:
    ///   - message: The beginning of a message with the URL.
    ///   - limit: The limit in bytes.
    ///   - name: The name of the limit.
    package init?(tooLong message: Span<UInt8>, limit: Int, name: String) {
        let start = message.extracting(0..<min(message.count, 1024))
        for position in start.indices where start[position] | 0x20 == UInt8(ascii: "x") {
            let url = start.extracting(position..<start.count)
            guard let place = ReturnURL.token(in: url) else { continue }
            token = String(utf8: url.extracting(place))
            response = .error(.unreadable("it is longer than \(limit) bytes (limits: \(name)).", QueryItems()))
            return
        }
        return nil
    }
}

extension ReturnedAnswer {
    /// Reads what follows the token of a return URL.
    private struct Reader {
        /// The unread bytes.
        private var rest: ArraySlice<UInt8>
        private let maximumItems: Int
        private var readsForm = false
        private var items = QueryItems()
        /// The first fault.
        private var fault: String?

        init(_ bytes: [UInt8], maximumItems: Int) {
            rest = bytes[...]
            self.maximumItems = maximumItems
        }

        mutating func response() -> Response {
            let outcome = readOutcome()
            if outcome == "cancel" { return .cancel }
            readItems()
            if let fault { return .error(.unreadable(fault, items)) }
            switch outcome {
            case "success": return .success(items)
            case "error": return .error(CallbackError(returned: items))
            default: return .error(.unreadable("it is neither success, error nor cancel.", items))
            }
        }

        /// Reads the word that follows the token.
        private mutating func readOutcome() -> String {
            guard skip("/") else { return "" }
            let word = String(decoding: readPart(), as: UTF8.self).lowercased()
            readsForm = word.hasSuffix(ReturnURL.formMark)
            return readsForm ? String(word.dropLast(ReturnURL.formMark.count)) : word
        }

        /// Reads the items of the path and of the query; those of the fragment count only if there are no others.
        private mutating func readItems() {
            while skip("/") {
                let name = readPart()
                let value = skip("/") ? readPart() : nil
                if !name.isEmpty { append(name, value) }
            }
            while skip("?") || skip("&") { appendItem(readPart(until: "&#")) }
            guard items.isEmpty, skip("#") else { return }
            repeat { appendItem(readPart(until: "&")) } while skip("&")
        }

        private mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        /// Reads up to one of some characters, which remains unread.
        private mutating func readPart(until ends: String = ReturnURL.separators) -> ArraySlice<UInt8> {
            let part = rest.prefix { !ends.utf8.contains($0) }
            rest = rest[part.endIndex...]
            return part
        }

        /// Appends an item in the form `name=value` or `name`; an empty text is no item.
        private mutating func appendItem(_ text: ArraySlice<UInt8>) {
            if text.isEmpty { return }
            let name = text.prefix { $0 != UInt8(ascii: "=") }
            append(name, name.endIndex < text.endIndex ? text[(name.endIndex + 1)...] : nil)
        }

        private mutating func append(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>?) {
            if items.count == maximumItems {
                fault = fault ?? "it has more than \(maximumItems) items (limits: parameters)."
                return
            }
            guard let name = decoded(name) else { return }
            var text: String?
            if let value {
                text = decoded(value)
                if text == nil { return }
            }
            if !Self.protocolNames.contains(name.lowercased()) { items.append(name, text) }
        }

        /// The names that belong to the protocol, not to an answer.
        private static let protocolNames = ["x-source", "x-success", "x-error", "x-cancel", "x-callback-url"]

        /// Decodes text, in which a `%` that escapes nothing stands for itself; nil, and a fault, if it is unreadable.
        private mutating func decoded(_ text: ArraySlice<UInt8>) -> String? {
            let text = text.span
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.count)
            var position = 0
            while position < text.count {
                if let byte = nextDecodedByte(text, &position) {
                    let isSpace = readsForm && byte == UInt8(ascii: "+") && text[position - 1] == byte
                    bytes.append(isSpace ? UInt8(ascii: " ") : byte)
                } else {
                    bytes.append(text[position])
                    position += 1
                }
            }
            if bytes.contains(0) {
                fault = fault ?? "it has text with a NUL."
                return nil
            }
            guard let string = String(validating: bytes, as: UTF8.self) else {
                fault = fault ?? "it has text that is not UTF-8."
                return nil
            }
            return string
        }
    }
}

extension CallbackError {
    /// The error for an answer that is unreadable, with the items that could be read.
    fileprivate static func unreadable(_ reason: String, _ items: QueryItems) -> CallbackError {
        CallbackError(.unreadableAnswer, "The application's answer cannot be read: \(reason)", items: items)
    }

    /// The error of another application: its code has several spellings, and can be a word.
    fileprivate init(returned items: QueryItems) {
        let code = items.first { $0.isErrorCode && $0.value != "" }?.value
        let message = items.first { $0.isErrorMessage && $0.value != "" }?.value
        if let code, Int(code) == nil {
            self.init(.internalFailure, message.map { "\(code): \($0)" } ?? code, items: items)
        } else {
            let number = code.flatMap { Int($0) }.map(Code.init(rawValue:))
            self.init(number ?? .internalFailure, message ?? "The application gave no reason.", items: items)
        }
    }
}

extension QueryItems.Item {
    /// Whether it is the code of an error, in any spelling: `errorCode`, `error-Code`, `errorcode`.
    var isErrorCode: Bool { spelling == "errorcode" }
    /// Whether it is the message of an error, in any spelling.
    var isErrorMessage: Bool { spelling == "errormessage" }

    private var spelling: String { name.lowercased().filter { $0 != "-" } }
}
