import XCallbackBytes
import XCallbackURL

/// A return URL as a request: an application that does not encode its answer, or adds callbacks, still ends the call.
extension ReturnURL {
    /// Whether a URL is a return URL, regardless of its query.
    @inline(__always)
    static func isOne(_ url: borrowing ActionURL) -> Bool {
        url.schemeRange.count == CallbackRules.answerScheme.utf8.count && Route.callReturn(for: url) != nil
    }

    /// Parses a return URL with a fault in its query.
    ///
    /// An unencoded `%`, space, or control character stands for itself, and items that begin with `x-` are omitted. An
    /// answer that is still unreadable becomes an error, which ends the call like any other.
    ///
    /// - Parameters:
    ///   - line: The URL as received.
    ///   - maximumItems: The maximum number of items of a query.
    /// - Returns: The intended request; nil if it is not a return URL up to its query.
    static func parse(repairing line: Span<UInt8>, maximumItems: Int) -> ActionURL? {
        var end = 0
        while end < line.count, line[end] != UInt8(ascii: "?") { end += 1 }
        guard end < line.count else { return nil }
        var url = ActionURL()
        do throws(ActionURLError) {
            try url.parse(line.extracting(0..<end), maximumItems: 0)
            guard isOne(url) else { return nil }
            let token = url.segments[1]
            let text = repaired(line, queryFrom: end)
            do throws(ActionURLError) {
                try url.parse(text.span, maximumItems: maximumItems)
            } catch {
                try url.parse(unreadable(error, token: token).span, maximumItems: 2)
            }
            return url
        } catch {
            return nil
        }
    }

    /// The URL with only the bytes that a query allows.
    private static func repaired(_ line: Span<UInt8>, queryFrom start: Int) -> [UInt8] {
        var text = ByteBuffer()
        text.append(line.extracting(0..<start))
        var position = start
        while position < line.count, line[position] != UInt8(ascii: "#") {
            // The position is that of the '?' or of a '&'.
            let itemStart = text.count
            text.append(itemStart == start ? UInt8(ascii: "?") : UInt8(ascii: "&"))
            position += 1
            let nameStart = position
            while position < line.count, line[position] != UInt8(ascii: "&"), line[position] != UInt8(ascii: "#") {
                if canStand(position, in: line) {
                    text.append(line[position])
                } else {
                    text.append(percentEncoding: line.extracting(position...position))
                }
                position += 1
            }
            if isReserved(line.extracting(nameStart..<position)) { text.truncate(to: itemStart) }
        }
        return text.contents
    }

    /// Whether a byte is allowed in a query unencoded.
    private static func canStand(_ position: Int, in line: Span<UInt8>) -> Bool {
        guard line[position] == UInt8(ascii: "%") else {
            return !hasRawControl(line.extracting(position...position))
        }
        return (position + 1...position + 2).allSatisfy { digit in
            digit < line.count && Character(Unicode.Scalar(line[digit])).isHexDigit
        }
    }

    /// Whether an item belongs to the protocol, not to an answer.
    private static func isReserved(_ item: Span<UInt8>) -> Bool {
        var position = 0
        guard let first = nextDecodedByte(item, &position), first | 0x20 == UInt8(ascii: "x") else { return false }
        return nextDecodedByte(item, &position) == UInt8(ascii: "-")
    }

    /// The result of a call whose answer is unreadable.
    private static func unreadable(_ error: ActionURLError, token: String) -> [UInt8] {
        let reason =
            switch error.reason {
            case .notUTF8: "it has text that is not UTF-8."
            case .nul: "it has text with a NUL."
            case .tooManyItems(let limit): "it has more than \(limit) items (limits: parameters)."
            default: "it has a fault."
            }
        let items: QueryItems = [
            "errorCode": "\(CallbackError.Code.unreadableAnswer.rawValue)",
            "errorMessage": "The application's answer cannot be read: \(reason)",
        ]
        var text = ByteBuffer()
        text.append("\(CallbackRules.answerScheme)://x-callback-url/\(word)/\(token)/error?".utf8.span)
        text.append(percentEncoding: items)
        return text.contents
    }
}
