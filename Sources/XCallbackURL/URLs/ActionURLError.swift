/// Why a text is not the URL of an action, or not a URL at all.
public struct ActionURLError: Error, Hashable, Sendable {
    /// The rule that the text breaks.
    public enum Reason: Hashable, Sendable {
        /// It does not begin with a scheme and a colon (RFC 3986, section 3.1).
        case missingScheme
        /// It holds a blank or a control character as it is; both must be encoded.
        case rawControl
        /// A `%` that two hexadecimal digits do not follow.
        case badEscape
        /// A part of it decodes to text that is not UTF-8.
        case notUTF8
        /// A part of it decodes to text with a NUL.
        case nul
        /// Two slashes with nothing between them.
        case emptySegment
        /// A segment that decodes to `.` or `..`.
        case dotSegment
        /// One of `x-source`, `x-success`, `x-error` and `x-cancel` stands in the query more than once.
        case repeatedItem(String)
        /// The query has more items than the limit.
        case tooManyItems(limit: Int)
        /// The host is a user name, a port or an address in brackets.
        case notAHostName
    }

    /// The rule that the text breaks.
    public let reason: Reason
    /// Where, as the number of bytes before the place.
    public let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension ActionURLError: CustomStringConvertible {
    /// What is wrong, where, and what was expected.
    public var description: String {
        switch reason {
        case .missingScheme: "no scheme: expected a letter, then letters, digits, '+', '-' or '.', then a colon"
        case .rawControl: "a space or control character at byte \(offset): write it percent-encoded"
        case .badEscape: "a bad escape at byte \(offset): expected two hexadecimal digits after '%'"
        case .notUTF8: "text at byte \(offset) that does not decode to UTF-8"
        case .nul: "text at byte \(offset) that decodes to a NUL"
        case .emptySegment: "an empty segment at byte \(offset): expected a name between two slashes"
        case .dotSegment: "a segment '.' or '..' at byte \(offset)"
        case .repeatedItem(let name): "'\(name)' more than once"
        case .tooManyItems(let limit): "more than \(limit) parameters (limits: parameters)"
        case .notAHostName: "a user name, port or address as its host at byte \(offset): expected a plain name"
        }
    }
}

extension ActionURLError: CallbackErrorConvertible {
    /// 413 for too many items, 400 for everything else.
    public var callbackError: CallbackError {
        if case .tooManyItems = reason { return CallbackError(.tooLarge, "The URL has \(self).") }
        return CallbackError(.malformed, "The URL has \(self).")
    }
}
