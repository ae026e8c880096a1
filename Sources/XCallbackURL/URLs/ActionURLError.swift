/// The reason why a text is not a valid action URL.
public struct ActionURLError: Error, Hashable, Sendable {
    /// The violated rule.
    public enum Reason: Hashable, Sendable {
        /// It does not start with a scheme and a colon (RFC 3986, section 3.1).
        case missingScheme
        /// It contains a raw blank or control character; both must be percent-encoded.
        case rawControl
        /// A `%` is not followed by two hexadecimal digits.
        case badEscape
        /// A part does not decode to UTF-8.
        case notUTF8
        /// A part decodes to text with a NUL.
        case nul
        /// There are two slashes with nothing in between.
        case emptySegment
        /// A segment decodes to `.` or `..`.
        case dotSegment
        /// One of `x-source`, `x-success`, `x-error` and `x-cancel` appears more than once in the query.
        case repeatedItem(String)
        /// The query has more items than the limit.
        case tooManyItems(limit: Int)
        /// The path has more segments than the limit.
        case tooManySegments(limit: Int)
        /// The host is a user name, a port or an address in brackets.
        case notAHostName
        /// A URL of syntax `url` has a backslash before its query, which browsers read as a slash.
        case backslash
        /// A URL of syntax `url` has a user or a port without a host, or needs a host.
        case missingHost
        /// Parsers disagree about the user, the host or the port of a URL of syntax `url`.
        case ambiguousHost
    }

    /// The violated rule.
    public let reason: Reason
    /// The number of bytes before the fault.
    package let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension ActionURLError: CustomStringConvertible {
    /// The fault, its position, and the expected text.
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
        case .tooManySegments(let limit): "more than \(limit) segments"
        case .notAHostName: "a user name, port or address as its host at byte \(offset): expected a plain name"
        case .backslash: "a backslash at byte \(offset), which some programs read as a slash: write it as %5C"
        case .missingHost: "no host at byte \(offset)"
        case .ambiguousHost:
            "a user, host or port at byte \(offset) that programs read differently: expected user@host:port with one '@', "
                + "a name of at most 255 bytes or an address of four decimal numbers or in brackets, and a port up to 65535"
        }
    }
}

extension ActionURLError: CallbackErrorConvertible {
    /// 413 for too many items or segments, 400 for all other faults.
    public var callbackError: CallbackError {
        switch reason {
        case .tooManyItems, .tooManySegments: CallbackError(.tooLarge, "The URL has \(self).")
        default: CallbackError(.malformed, "The URL has \(self).")
        }
    }
}
