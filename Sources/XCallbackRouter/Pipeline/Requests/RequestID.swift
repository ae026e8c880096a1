/// The ID of a request in the log, in the output of `monitor`, and in its answer: `7h3kq2vd-41`.
///
/// The first part identifies one start of a daemon, the second counts its requests. It is not a secret. Its text is
/// created only when it is shown.
package struct RequestID: Hashable, Sendable {
    /// The digits of the first part: Crockford's base 32 in lower case, without digits that look alike.
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    /// The number of digits of the first part.
    private static let startLength = 8

    /// The digits of the first part, the first digit in the highest byte.
    package let start: UInt64
    /// The second part: 1 for the first request.
    package private(set) var number: UInt64

    /// Creates the first part of the IDs of a daemon.
    ///
    /// - Parameter number: A number that no other start of a daemon has; only its lowest 40 bits are used.
    package init(ofStart number: UInt128) {
        start = (0..<Self.startLength).reduce(0) { start, place in
            let digit = Self.digits[Int(truncatingIfNeeded: number >> (5 * place)) & 31]
            return start << 8 | UInt64(digit)
        }
        self.number = 0
    }

    /// Reads an ID; nil if the text is invalid.
    ///
    /// - Parameter text: The ID, in lower or upper case.
    package init?(_ text: String) {
        let parts = text.lowercased().utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == Self.startLength, parts[0].allSatisfy(Self.digits.contains),
            parts[1].allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let number = UInt64(String(decoding: parts[1], as: UTF8.self)), number > 0
        else { return nil }
        start = parts[0].reduce(0) { $0 << 8 | UInt64($1) }
        self.number = number
    }

    /// The ID of the next request.
    package var next: Self {
        var next = self
        next.number &+= 1
        return next
    }
}

extension RequestID: CustomStringConvertible {
    /// The ID as text.
    package var description: String {
        let letters = (0..<Self.startLength).reversed().map { UInt8(truncatingIfNeeded: start >> (8 * $0)) }
        return "\(String(decoding: letters, as: UTF8.self))-\(number)"
    }
}
