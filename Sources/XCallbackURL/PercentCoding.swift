/// What can be wrong with text in percent encoding.
package enum PercentDecodingFault: Error, Hashable, Sendable {
    /// A `%` that two hexadecimal digits do not follow.
    case badEscape
    /// The decoded text holds a NUL.
    case nul
    /// The decoded text is not UTF-8.
    case notUTF8
}

/// The value of a hexadecimal digit, or nil (RFC 3986, section 2.1).
@inline(__always)
package func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
}

/// Whether a byte is an unreserved character of RFC 3986, section 2.3: the only ones that are written as they are.
@inline(__always)
package func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        true
    default: false
    }
}

extension [UInt8] {
    /// Creates a copy of bytes of another buffer.
    package init(copying bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { Array($0) }
    }

    /// Appends bytes of another buffer.
    @inlinable
    package mutating func append(copying bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }

    /// Appends text in percent encoding: every byte that is not unreserved becomes `%XX`.
    package mutating func append(percentEncoding text: Span<UInt8>) {
        reserveCapacity(count + text.count)
        var start = 0
        for index in text.indices where !isUnreserved(text[index]) {
            append(copying: text.extracting(start..<index))
            append(UInt8(ascii: "%"))
            append(upperHexadecimalDigit(text[index] >> 4))
            append(upperHexadecimalDigit(text[index] & 15))
            start = index + 1
        }
        append(copying: text.extracting(start..<text.count))
    }

    /// Appends what percent-encoded text stands for, decoded once.
    ///
    /// A `+` stays a plus unless the text comes from a form. After a throw the appended bytes are gone again.
    ///
    /// - Parameters:
    ///   - text: The encoded text.
    ///   - plusIsSpace: Whether `+` stands for a space, as HTML forms write it.
    /// - Throws: ``PercentDecodingFault`` when an escape is bad or the result is not UTF-8 without NUL.
    package mutating func append(
        percentDecoding text: Span<UInt8>, plusIsSpace: Bool = false
    ) throws(PercentDecodingFault) {
        let start = count
        do throws(PercentDecodingFault) {
            try appendDecodedBytes(of: text, plusIsSpace: plusIsSpace)
            guard isUTF8(span.extracting(start..<count)) else { throw .notUTF8 }
        } catch {
            removeLast(count - start)
            throw error
        }
    }

    private mutating func appendDecodedBytes(of text: Span<UInt8>, plusIsSpace: Bool) throws(PercentDecodingFault) {
        reserveCapacity(count + text.count)
        var index = 0
        while index < text.count {
            let byte = text[index]
            index += 1
            switch byte {
            case UInt8(ascii: "%"):
                guard index + 1 < text.count, let high = hexadecimalValue(text[index]),
                    let low = hexadecimalValue(text[index + 1])
                else { throw .badEscape }
                guard high | low != 0 else { throw .nul }
                append(high << 4 | low)
                index += 2
            case UInt8(ascii: "+") where plusIsSpace: append(UInt8(ascii: " "))
            case 0: throw .nul
            default: append(byte)
            }
        }
    }
}

/// What percent-encoded text stands for, decoded once; nil if it does not decode to UTF-8 without NUL.
///
/// - Parameters:
///   - text: The encoded text.
///   - plusIsSpace: Whether `+` stands for a space, as HTML forms write it.
/// - Returns: The decoded bytes, or nil.
package func percentDecoded(_ text: Span<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
    var output: [UInt8] = []
    do {
        try output.append(percentDecoding: text, plusIsSpace: plusIsSpace)
        return output
    } catch {
        return nil
    }
}

/// Whether bytes are well-formed UTF-8.
package func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    do {
        _ = try UTF8Span(validating: bytes)
        return true
    } catch {
        return false
    }
}

/// Whether two runs of bytes are the same.
@inlinable
package func areEqual(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
    guard first.count == second.count else { return false }
    for index in first.indices where first[unchecked: index] != second[unchecked: index] { return false }
    return true
}

/// Whether two runs of bytes are the same when ASCII letters are compared without case.
package func areEqualIgnoringCase(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
    guard first.count == second.count else { return false }
    for index in first.indices where asciiLowercase(first[index]) != asciiLowercase(second[index]) { return false }
    return true
}

/// The lower-case form of an ASCII letter; any other byte as it is.
@inline(__always)
package func asciiLowercase(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
}

@inline(__always)
private func upperHexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
}

extension String {
    /// Creates a string from bytes that are known to be UTF-8; anything else becomes U+FFFD.
    package init(utf8 bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
