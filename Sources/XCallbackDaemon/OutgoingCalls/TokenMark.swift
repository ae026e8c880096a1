import CLibMD

/// The number of hexadecimal digits of a SHA-256 hash.
private let digitCount = 2 * Int(SHA256_DIGEST_LENGTH)

/// Returns the mark of a token, which can be stored to recognize the token but does not reveal it.
///
/// The mark is the SHA-256 hash of the token, in hexadecimal.
///
/// - Parameter token: 128 random bits in hexadecimal, or any text that a client sent as a token.
/// - Returns: 64 digits.
package func mark(of token: String) -> String {
    var token = token
    // A NUL terminates the digits.
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: digitCount + 1) { text in
        token.withUTF8 { _ = SHA256Data($0.baseAddress, $0.count, text.baseAddress) }
        return String(decoding: UnsafeRawBufferPointer(text).prefix(digitCount), as: UTF8.self)
    }
}
