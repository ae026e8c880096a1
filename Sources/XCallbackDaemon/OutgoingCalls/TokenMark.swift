import CLibMD

/// How many hexadecimal digits a SHA-256 has.
private let digitCount = 2 * Int(SHA256_DIGEST_LENGTH)

/// The mark of a token: what can be kept to know the token again, and from which nobody finds it.
///
/// It is the SHA-256 of the token, in hexadecimal.
///
/// - Parameter token: 128 random bits in hexadecimal, or what somebody takes for that.
/// - Returns: 64 digits.
package func mark(of token: String) -> String {
    var token = token
    // The digits end with a NUL.
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: digitCount + 1) { text in
        token.withUTF8 { _ = SHA256Data($0.baseAddress, $0.count, text.baseAddress) }
        return String(decoding: UnsafeRawBufferPointer(text).prefix(digitCount), as: UTF8.self)
    }
}
